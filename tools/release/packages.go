package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // its formats register themselves
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
	"github.com/klauspost/compress/gzip"
)

const (
	homepage   = "https://whyhot.example.org"
	maintainer = "the authors of whyhot <whyhot@example.org>"
)

// bundle is a package, in whatever format.
type bundle struct {
	name, arch  string // "all" where nothing is compiled
	description string
	programs    []*program
	files       []file
	dirs        []string
	depends     []string
	recommends  []string
	suggests    []string
	service     string // the unit, where it has one
	debOnly     bool   // it names libraries as Debian does
	archive     string // the archive that it goes to, too
}

func (r *release) writePackages(context.Context) error {
	bundles, err := r.bundles()
	if err != nil {
		return err
	}
	archives := map[string]*archive{}
	var order []string
	for _, b := range bundles {
		for _, format := range []string{"deb", "rpm"} {
			if format == "rpm" && b.debOnly {
				continue
			}
			if err := r.writePackage(b, format); err != nil {
				return fmt.Errorf("%s of %s: %w", format, b.name, err)
			}
		}
		if b.archive == "" {
			continue
		}
		name := fmt.Sprintf("%s_%s_linux_%s", b.archive, r.fileVersion(), b.arch)
		if archives[name] == nil {
			archives[name] = &archive{}
			order = append(order, name)
		}
		archives[name].files = append(archives[name].files, b.files...)
		archives[name].programs = append(archives[name].programs, b.programs...)
	}
	for _, name := range order {
		a := archives[name]
		if err := r.writeArchive(name, a.files); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.artefacts = append(r.artefacts, &artefact{name: name + ".tar.gz", programs: a.programs, purpose: "ARCHIVE"})
	}
	return nil
}

// bundles lists the packages.
func (r *release) bundles() ([]*bundle, error) {
	var all []*bundle
	for _, arch := range r.arches {
		main, images := r.program("whyhot", arch), r.program("whyhot-images", arch)
		all = append(all,
			&bundle{
				name: "whyhot", arch: arch, programs: []*program{main}, archive: "whyhot",
				description: "CPU profiler that says why code is hot and what to change\nIt records native programs, Python, Java, Node.js and more, or reads pprof,\nperf, py-spy and OpenTelemetry profiles, checks them against its catalogue of\nrules, ranks the findings, and measures whether a change is worth it.",
				files:       slices.Concat([]file{bin(main)}, r.pages.man["whyhot"], r.pages.completions["whyhot"], r.pages.rules),
				suggests:    []string{"whyhot-agent", "whyhot-analyzer", "whyhot-images", "whyhot-server", "linux-perf"},
			},
			&bundle{
				name: "whyhot-images", arch: arch, programs: []*program{images}, archive: "whyhot",
				description: "container images, read for whyhot\nThe part of whyhot that reads container images, for `whyhot images`.",
				files:       []file{bin(images)},
				depends:     []string{"whyhot (= " + r.packageVersion() + ")"},
			})
	}
	unit, err := r.unit("whyhot-agent")
	if err != nil {
		return nil, err
	}
	env, err := r.text("agent.env", agentEnv)
	if err != nil {
		return nil, err
	}
	all = append(all, &bundle{
		name: "whyhot-agent", arch: "all", service: "whyhot-agent",
		description: "agent of whyhot: continuous profiles of this machine\nThe service that records the whole machine and sends profiles to a server.\nIt starts when /etc/whyhot/agent.env names that server and it is enabled.",
		files:       []file{unit, {env, "/etc/whyhot/agent.env", 0o640, true}},
		dirs:        []string{"/etc/whyhot"},
		depends:     []string{"whyhot (= " + r.packageVersion() + ")"},
	})
	if r.goOnly {
		return r.withTexts(all)
	}
	server := r.program("whyhot-server", "amd64")
	if unit, err = r.unit("whyhot-server"); err != nil {
		return nil, err
	}
	if env, err = r.text("server.env", serverEnv); err != nil {
		return nil, err
	}
	users, err := r.text("sysusers", "u whyhot-server - \"whyhot server\" /var/lib/whyhot-server\n")
	if err != nil {
		return nil, err
	}
	analyzer, plugin := r.program("whyhot-analyzer", "amd64"), r.program("whyhot-whatif.so", "amd64")
	needs := slices.Concat(analyzer.needs, plugin.needs, []string{"libclang-common-19-dev"})
	slices.Sort(needs)
	all = append(all,
		&bundle{
			name: "whyhot-server", arch: "amd64", programs: []*program{server}, service: "whyhot-server", archive: "whyhot-server",
			description: "server of whyhot: the profiles of a fleet\nIt keeps the profiles that agents send, answers questions about them, and\nshows them in a browser. It starts when it is enabled.",
			files: slices.Concat([]file{bin(server), unit, {env, "/etc/whyhot/server.env", 0o640, true}, {users, "/usr/lib/sysusers.d/whyhot-server.conf", 0o644, false}},
				r.pages.man["whyhot-server"], r.pages.completions["whyhot-server"]),
			dirs:       []string{"/etc/whyhot"},
			depends:    server.needs,
			recommends: []string{"whyhot", "whyhot-analyzer"},
		},
		&bundle{
			name: "whyhot-analyzer", arch: "amd64", programs: []*program{analyzer, plugin}, debOnly: true,
			description: "analyser of C and C++ for whyhot\nThe part of whyhot that asks Clang about source and machine code: for\n`whyhot scan`, `explain -p`, `fix`, what-if builds, and lines in the browser.",
			files:       []file{bin(analyzer), {plugin.path, "/usr/lib/whyhot/whyhot-whatif.so", 0o644, false}},
			depends:     slices.Compact(needs),
			recommends:  []string{"whyhot", "clang-19"},
		})
	return r.withTexts(all)
}

const (
	agentEnv = `# The server that whyhot-agent sends to, and more flags of ` + "`whyhot agent`" + `:
# whyhot-agent(1). After a change: systemctl enable --now whyhot-agent, or restart.
#WHYHOT_SERVER=profiles.example.org:4317
#WHYHOT_OPTIONS=--token-file /etc/whyhot/token --ca /etc/whyhot/ca.pem
`
	serverEnv = `# Flags of ` + "`whyhot-server serve`" + `: whyhot-server-serve(1). Without any it listens on this
# machine alone. After a change: systemctl enable --now whyhot-server, or restart.
#WHYHOT_OPTIONS=--listen :7878 --listen-grpc :4317 --tls-cert /etc/whyhot/cert.pem --tls-key /etc/whyhot/key.pem
`
	copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: whyhot

Files: *
Copyright: the authors of whyhot
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0. What other people's code is linked in, and its
 licences, is in licences.txt.gz beside this file.
`
)

func bin(p *program) file { return file{p.path, "/usr/bin/" + p.name, 0o755, false} }

// unit takes a service's unit, with the program where packages put it.
func (r *release) unit(name string) (file, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "deploy", "systemd", name+".service"))
	if err != nil {
		return file{}, err
	}
	_, unit, ok := strings.Cut(string(text), "[Unit]\n") // before it stands how to install it by hand
	if !ok {
		return file{}, fmt.Errorf("%s.service has no [Unit]", name)
	}
	path, err := r.text(name+".service", "[Unit]\n"+strings.ReplaceAll(unit, "/usr/local/bin/", "/usr/bin/"))
	return file{path, "/usr/lib/systemd/system/" + name + ".service", 0o644, false}, err
}

// text writes what is no file of the source.
func (r *release) text(name, text string) (string, error) {
	path := filepath.Join(r.work, "texts", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// withTexts adds to each package its licences, and what Debian asks for.
func (r *release) withTexts(all []*bundle) ([]*bundle, error) {
	right, err := r.text("copyright", copyright)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		dir := "/usr/share/doc/" + b.name + "/"
		log := fmt.Sprintf("whyhot (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n",
			r.packageVersion(), maintainer, r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
		packed, err := compress([]byte(log))
		if err != nil {
			return nil, err
		}
		changes, err := r.text("changelog.gz", string(packed))
		if err != nil {
			return nil, err
		}
		b.files = append(b.files, file{right, dir + "copyright", 0o644, false}, file{changes, dir + "changelog.gz", 0o644, false},
			file{filepath.Join(r.root, "NOTICE"), dir + "NOTICE", 0o644, false})
		for _, p := range b.programs {
			if len(p.modules) == 0 {
				continue
			}
			text, err := os.ReadFile(r.licences(p))
			if err != nil {
				return nil, err
			}
			if packed, err = compress(text); err != nil {
				return nil, err
			}
			path, err := r.text("licences-"+p.arch+"-"+p.name+".gz", string(packed))
			if err != nil {
				return nil, err
			}
			b.files = append(b.files, file{path, dir + "licences.txt.gz", 0o644, false})
		}
	}
	return all, nil
}

func (r *release) writePackage(b *bundle, format string) error {
	info := &nfpm.Info{
		Name: b.name, Arch: b.arch, Platform: "linux", Version: r.packageVersion(), VersionSchema: "none",
		Section: "devel", Priority: "optional", Maintainer: maintainer, Description: b.description,
		Homepage: homepage, License: "Apache-2.0", MTime: r.time,
	}
	info.Depends, info.Recommends, info.Suggests = b.depends, b.recommends, b.suggests
	info.Deb.Compression = "zstd" // which dpkg of Debian 12 reads
	info.RPM.Compression = "zstd"
	info.RPM.BuildHost = "localhost"
	info.RPM.Summary, _, _ = strings.Cut(b.description, "\n")
	info.RPM.Group = "Development/Tools"
	if format == "rpm" {
		var err error
		if info.Depends, err = asRPM(b); err != nil {
			return err
		}
	}
	for _, f := range b.files {
		c := files.Content{Source: f.from, Destination: f.to, FileInfo: &files.ContentFileInfo{Mode: f.mode, MTime: r.time, Owner: "root", Group: "root"}}
		if f.config {
			c.Type = files.TypeConfigNoReplace
		}
		info.Contents = append(info.Contents, &c)
	}
	for _, dir := range b.dirs {
		info.Contents = append(info.Contents, &files.Content{Destination: dir, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.time, Owner: "root", Group: "root"}})
	}
	if b.service != "" {
		if err := r.addScripts(info, b); err != nil {
			return err
		}
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	name := packager.ConventionalFileName(info)
	if err := writeFile(filepath.Join(r.out, name), func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
		return err
	}
	r.artefacts = append(r.artefacts, &artefact{name: name, programs: b.programs, purpose: "INSTALL"})
	return nil
}

// asRPM gives what a package needs by the names of RPM: other packages of ours as they
// are, libraries as files need them.
func asRPM(b *bundle) ([]string, error) {
	var needs []string
	for _, d := range b.depends {
		if strings.HasPrefix(d, "whyhot") {
			needs = append(needs, strings.NewReplacer("(", "", ")", "").Replace(d))
		}
	}
	for _, p := range b.programs {
		if len(p.needs) == 0 {
			continue
		}
		libraries, err := sonames(p.path)
		if err != nil {
			return nil, err
		}
		needs = append(needs, libraries...)
	}
	return needs, nil
}

// addScripts adds what happens around a service: it starts when somebody enables it, a
// newer version of it is started where it ran, and it ends before its program goes.
func (r *release) addScripts(info *nfpm.Info, b *bundle) error {
	fill := strings.NewReplacer("UNIT", b.service+".service", "SERVICE", b.service)
	for name, script := range map[string]struct {
		to   *string
		text string
	}{
		"postinst": {&info.Scripts.PostInstall, afterInstall},
		"prerm":    {&info.Scripts.PreRemove, beforeRemove},
		"postrm":   {&info.Scripts.PostRemove, afterRemove},
	} {
		path, err := r.text(b.name+"."+name, fill.Replace(script.text))
		if err != nil {
			return err
		}
		*script.to = path
	}
	return nil
}

// The scripts serve both formats: dpkg says what it does, RPM how many versions will be
// there.
const (
	afterInstall = `#!/bin/sh
set -e
if [ -e /usr/lib/sysusers.d/SERVICE.conf ] && command -v systemd-sysusers > /dev/null; then
  systemd-sysusers SERVICE.conf
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart UNIT
fi
`
	beforeRemove = `#!/bin/sh
set -e
case "$1" in
  remove | 0)
    if [ -d /run/systemd/system ]; then systemctl stop UNIT; fi
    if command -v systemctl > /dev/null; then systemctl --quiet disable UNIT; fi
    ;;
esac
`
	// Data are kept, whatever is removed; what can be made again is not.
	afterRemove = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
case "$1" in
  purge | 0) [ SERVICE != whyhot-agent ] || rm -rf /var/cache/whyhot /var/cache/private/whyhot ;;
esac
`
)

// archive is what is unpacked anywhere: /usr/local, or a home directory.
type archive struct {
	files    []file
	programs []*program
}

func (r *release) writeArchive(name string, list []file) error {
	return writeFile(filepath.Join(r.out, name+".tar.gz"), func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		seen := map[string]bool{}
		for _, f := range slices.SortedFunc(slices.Values(list), func(a, b file) int { return strings.Compare(a.to, b.to) }) {
			to := path.Join(name, strings.TrimPrefix(f.to, "/usr/"))
			if seen[to] {
				continue
			}
			seen[to] = true
			if err := r.addToTar(t, f, to); err != nil {
				return err
			}
		}
		if err := t.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

// addToTar adds a file that belongs to root and is as old as the commit.
func (r *release) addToTar(t *tar.Writer, f file, to string) error {
	data, err := os.ReadFile(f.from)
	if err != nil {
		return err
	}
	header := tar.Header{Typeflag: tar.TypeReg, Name: to, Mode: int64(f.mode), Size: int64(len(data)), ModTime: r.time, Format: tar.FormatPAX}
	if err := t.WriteHeader(&header); err != nil {
		return err
	}
	_, err = t.Write(data)
	return err
}

// writeFile writes a file that nobody sees before it is whole: the directory that it is
// in has its name only at the end.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
