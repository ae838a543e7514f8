# An image of one layer, as `docker save` writes it: Debian's names of the packages that
# are here, and the program of the profile.
cp "$shared/app.pb.gz" cpu.pb.gz
mkdir -p "layer$shared" layer/etc layer/var/lib/dpkg image/blobs
cp "$shared/app" "layer$shared/" && cp /etc/os-release layer/etc/
{ printf 'Package: zlib1g\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:1.2.13.dfsg-1\n\n'; } > layer/var/lib/dpkg/status
tar -cf image/layer.tar -C layer .
printf '{"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' "$(sha256sum < image/layer.tar | cut -d ' ' -f 1)" > image/config.json
printf '[{"Config": "config.json", "RepoTags": ["web:1"], "Layers": ["layer.tar"]}]' > image/manifest.json
rmdir image/blobs
tar -cf web.tar -C image config.json manifest.json layer.tar
