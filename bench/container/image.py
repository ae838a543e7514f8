#!/usr/bin/env python3
"""Makes the image of deploy/container/Containerfile.server without a daemon, and runs it.

    sudo bench/container/image.py make DIR     an OCI image layout in DIR/image
    sudo bench/container/image.py try DIR      unpacks that, and runs it confined

What the Containerfile says is done, line by line: COPY from the context alone, RUN of the
build stage on this machine, RUN of the last stage in the image's own root, and its USER,
ENTRYPOINT, CMD, VOLUME and EXPOSE are the image's. The base is not pulled: it is made of
Debian's packages that the server and the RUN lines need, a part of bookworm-slim.

"try" runs it as deploy/kubernetes/server.yaml does: its user, a read-only root, no
capabilities, no new privileges, name spaces of its own, a volume for the data and a /tmp.
It makes a token as the init container does, waits for /readyz over TLS, pushes a profile,
kills the server with -9, starts it again, and asks.
"""
import atexit
import ctypes
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
FILE = os.path.join(ROOT, "deploy/container/Containerfile.server")
BASE = ["base-files", "base-passwd", "libc6", "libgcc-s1", "coreutils", "libacl1", "libattr1", "libgmp10", "libselinux1", "libpcre2-8-0", "dash"]


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def instructions():
    """The Containerfile's instructions by stage: lists of (word, rest)."""
    text = re.sub(r"\\\n\s*", "", "".join(l for l in open(FILE) if not l.startswith("#")))
    stages = []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, rest = line.split(None, 1)
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, rest))
    return stages


def base(root, packages):
    """What of Debian the image stands on, in root."""
    os.makedirs(packages, exist_ok=True)
    if not os.listdir(packages):
        run("apt-get", "download", *BASE, cwd=packages, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in ("bin", "sbin", "lib", "lib64"):
        os.makedirs(os.path.join(root, "usr", name))
        os.symlink("usr/" + name, os.path.join(root, name))
    for package in sorted(os.listdir(packages)):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", os.path.join(packages, package)], stdout=subprocess.PIPE) as files:
            run("tar", "x", "-C", root, "--keep-directory-symlink", stdin=files.stdout)
    if not os.path.exists(os.path.join(root, "bin/sh")):
        os.symlink("dash", os.path.join(root, "usr/bin/sh"))


def copy(source, target):
    os.makedirs(os.path.dirname(target.rstrip("/")) or "/", exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, symlinks=True)
        return
    if target.endswith("/"):
        os.makedirs(target, exist_ok=True)
        target = os.path.join(target, os.path.basename(source))
    shutil.copy2(source, target)


def build(stage, work):
    """The build stage: its paths are below work, and the tools are this machine's."""
    here = "/"
    inside = lambda path: work + os.path.normpath(os.path.join(here, path)) + ("/" if path.endswith("/") else "")
    for word, rest in stage:
        match word:
            case "WORKDIR":
                here = rest
                os.makedirs(inside("."), exist_ok=True)
            case "COPY":
                *sources, to = rest.split()
                for source in sources:
                    copy(os.path.join(ROOT, source), inside(to))
            case "RUN":
                command = re.sub(r"--mount=\S+\s*", "", rest)
                command = re.sub(r"-o /(\S+)", lambda m: "-o " + shlex.quote(work + "/" + m[1]), command)
                run("sh", "-ec", command, cwd=inside("."))


def finish(stage, root, built):
    """The last stage; gives the image's configuration."""
    config = {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
    for word, rest in stage:
        match word:
            case "COPY":
                origin, *sources, to = rest.split()
                if origin != "--from=build":
                    raise SystemExit(f"COPY {rest}: not from the build stage")
                for source in sources:
                    # What the Containerfile did not make comes with its image of Go.
                    made = built + source
                    copy(made if os.path.exists(made) else source, root + to)
            case "RUN":
                run("chroot", root, "/bin/sh", "-ec", rest)
            case "USER":
                config["User"] = rest
            case "VOLUME":
                config["Volumes"] = {rest: {}}
            case "EXPOSE":
                config["ExposedPorts"] = {p + "/tcp": {} for p in rest.split()}
            case "ENTRYPOINT" | "CMD":
                config[word.capitalize()] = json.loads(rest)
    return config


def make(at):
    image, root, built = (os.path.join(at, d) for d in ("image", "root", "build"))
    for d in (image, root, built):
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
    stages = instructions()
    base(root, os.path.join(at, "packages"))
    begin = time.time()
    build(stages[0], built)
    print(f"built in {time.time() - begin:.0f} s, from what the Containerfile copies and nothing else")
    config = finish(stages[-1], root, built)

    blobs = os.path.join(image, "blobs/sha256")
    os.makedirs(blobs)

    def put(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        with open(os.path.join(blobs, digest), "wb") as f:
            f.write(data)
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}

    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as layer:
        layer.add(root, arcname=".")
    layer = put(gzip.compress(raw.getvalue(), 6, mtime=0), "layer.v1.tar+gzip")
    settings = put(json.dumps({
        "architecture": "amd64", "os": "linux", "config": config,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(raw.getvalue()).hexdigest()]},
    }).encode(), "config.v1+json")
    manifest = put(json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": settings, "layers": [layer],
    }).encode(), "manifest.v1+json")
    for name, value in (("oci-layout", {"imageLayoutVersion": "1.0.0"}), ("index.json", {"schemaVersion": 2, "manifests": [manifest]})):
        with open(os.path.join(image, name), "w") as f:
            json.dump(value, f)
    print(f"layer {layer['size'] / 1e6:.0f} MB compressed, {len(raw.getvalue()) / 1e6:.0f} MB unpacked")


def blob(image, of):
    """A blob of the layout, whose digest is right."""
    with open(os.path.join(image, "blobs", *of["digest"].split(":")), "rb") as f:
        data = f.read()
    if "sha256:" + hashlib.sha256(data).hexdigest() != of["digest"] or len(data) != of["size"]:
        raise SystemExit(of["digest"] + " is damaged")
    return data


def unpack(image, root):
    """Unpacks the image that a layout is of, and gives its configuration."""
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    with open(os.path.join(image, "index.json")) as f:
        manifest = json.loads(blob(image, json.load(f)["manifests"][0]))
    settings = json.loads(blob(image, manifest["config"]))
    for of, wanted in zip(manifest["layers"], settings["rootfs"]["diff_ids"]):
        data = gzip.decompress(blob(image, of))
        if "sha256:" + hashlib.sha256(data).hexdigest() != wanted:
            raise SystemExit("a layer is not what the configuration says")
        with tarfile.open(fileobj=io.BytesIO(data)) as layer:
            layer.extractall(root, filter="fully_trusted")
    return settings["config"]


MOUNTS = """
mount --make-rprivate /
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"
mount --bind "$2" "$1$3" && mount --bind "$4" "$1/etc/whyhot"
mount -t proc proc "$1/proc" && mount -t tmpfs -o size=64m,mode=1777 tmpfs "$1/tmp"
"""


class Container:
    """Runs commands in the image, each in name spaces of its own but for the network's."""

    def __init__(self, at):
        self.at, self.root, self.volume, self.tls = at, *(os.path.join(at, d) for d in ("unpacked", "volume", "tls"))
        self.config = unpack(os.path.join(at, "image"), self.root)
        self.data = next(iter(self.config["Volumes"]))
        self.user = self.config["User"]
        for d in (self.volume, self.tls):
            shutil.rmtree(d, ignore_errors=True)
            os.makedirs(d)
        os.chown(self.volume, *map(int, self.user.split(":")))  # as fsGroup does
        os.makedirs(os.path.join(self.root, "etc/whyhot"))

    def start(self, *command, **options):
        entered = [sys.executable, os.path.abspath(__file__), "confined", self.root, self.user, *command]
        script = MOUNTS + 'shift 4 && exec "$@"'
        return subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts", "sh", "-ec", script, "sh", self.root, self.volume, self.data, self.tls, *entered],
            text=True, **options)

    def run(self, *command):
        """What a command says; it must not fail."""
        with self.start(*command, stdout=subprocess.PIPE) as p:
            said = p.communicate(timeout=60)[0]
        if p.returncode:
            raise SystemExit(f"{shlex.join(command)} ended with {p.returncode}")
        return said


def confined(root, user, *command):
    """Becomes a command in root, with nothing that it could do beyond its user."""
    uid, gid = map(int, user.split(":"))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    drop_bounding, no_new_privileges = 24, 38
    capability = 0
    while prctl(drop_bounding, capability, 0, 0, 0) == 0:
        capability += 1
    os.chroot(root)
    os.chdir("/")
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        raise SystemExit("no_new_privs is refused")
    os.execvpe(command[0], command, {"PATH": "/usr/local/bin:/usr/bin:/bin"})


def status(server):
    """The status of the server itself, the last of the processes that unshare began."""
    pid = server.pid
    while children := open(f"/proc/{pid}/task/{pid}/children").read().split():
        pid = int(children[0])
    with open(f"/proc/{pid}/status") as f:
        return pid, dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)


def attempt(at):
    box = Container(at)
    port, grpc = "17590", "17591"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", box.tls + "/tls.key", "-out", box.tls + "/tls.crt", stderr=subprocess.DEVNULL)
    os.chmod(box.tls + "/tls.key", 0o644)  # a secret of Kubernetes is readable by fsGroup
    program = box.config["Entrypoint"][0]
    # As the init container: through the image's shell and its PATH.
    said = box.run("/bin/sh", "-c", f"test -e {box.data}/tokens || whyhot-server token create --data {box.data} --scope send,read --name agents")
    token = said.strip()
    trusted = ssl.create_default_context(cafile=box.tls + "/tls.crt")

    def ask(path, data=None, bearer=token):
        request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", data=data, headers={"Authorization": "Bearer " + bearer} if bearer else {})
        try:
            with urllib.request.urlopen(request, context=trusted, timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as e:
            return e.code, e.read()

    def serve():
        begin = time.time()
        log = open(os.path.join(at, "server.log"), "a")
        server = box.start(program, *box.config["Cmd"], "--listen=127.0.0.1:" + port, "--listen-grpc=127.0.0.1:" + grpc,
                           "--tls-cert=/etc/whyhot/tls.crt", "--tls-key=/etc/whyhot/tls.key", "--log=json", stderr=log)
        while True:
            try:
                if ask("/readyz", bearer="")[0] == 200:
                    return server, time.time() - begin
            except OSError:
                if server.poll() is not None or time.time() - begin > 60:
                    raise SystemExit("it does not answer: see " + log.name)
            time.sleep(0.05)

    def samples():
        for _ in range(100):  # what was sent can be asked for a second later
            count = json.loads(ask("/api/v1/top?from=now-1h&exact=true")[1])["basis"]["count"]
            if count:
                return count
            time.sleep(0.1)
        return 0

    server, took = serve()
    atexit.register(lambda: server.terminate())
    pid, of = status(server)
    print(f"ready after {took:.1f} s; uid {of['Uid'].split()[0]}, capabilities: effective {of['CapEff']}, bounding {of['CapBnd']}, no new privileges: {of['NoNewPrivs']}")
    print("without a token:", ask("/api/v1/top", bearer="")[0])
    print("pushed:", ask("/api/v1/push?service=demo&period=10ms", b"main;work 70\nmain;idle 30\n"))
    os.kill(pid, signal.SIGKILL)
    server.wait()
    server, took = serve()
    pid, of = status(server)
    print(f"killed with -9 and started again: ready after {took:.1f} s, {samples()} samples; resident {int(of['VmRSS'].split()[0]) >> 10} MiB")
    begin = time.time()
    os.kill(pid, signal.SIGTERM)
    print(f"SIGTERM: ended with {server.wait()} after {time.time() - begin:.1f} s")
    written = subprocess.run(["find", box.root, "-newer", os.path.join(at, "image/index.json"), "-type", "f"], capture_output=True, text=True).stdout.split()
    print("written outside the volume:", written or "nothing")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", at]:
            make(os.path.realpath(at))
        case ["try", at]:
            attempt(os.path.realpath(at))
        case ["confined", root, user, *command]:
            confined(root, user, *command)
        case _:
            sys.exit(__doc__)
