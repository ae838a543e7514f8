package image

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"whyhot/internal/image/inventory"
)

// never are directories of a system in which nothing is installed: what the kernel
// shows, headers and documentation. They are not mentioned.
var never = []string{
	"proc", "sys", "dev", "lost+found", "usr/include", "usr/share/doc", "usr/share/fonts", "usr/share/icons", "usr/share/info",
	"usr/share/locale", "usr/share/man", "usr/share/mime", "usr/share/zoneinfo",
}

// personal are directories of a running system with what its users and programs left:
// sources, caches, other systems. On a machine of a developer they hold most files, and
// the service that is slow is seldom among them.
var personal = []string{
	"home", "root", "run", "tmp", "var/backups", "var/cache", "var/crash", "var/lib/containerd", "var/lib/containers", "var/lib/docker",
	"var/lib/kubelet", "var/lib/lxc", "var/lib/lxd", "var/lib/machines", "var/log", "var/spool", "var/tmp",
}

// maxNamed is how many of the directories that were left out a note names.
const maxNamed = 12

// places says which directories of a root directory are read.
type places struct {
	running bool            // what is scanned is the root of this system
	wanted  map[string]bool // directories on the way to files that a profile names
	left    []string        // that were left out
}

func placesOf(q inventory.Question, running bool) *places {
	p := &places{running: running && !q.Everywhere, wanted: map[string]bool{}}
	for _, f := range q.Files {
		below, ok := strings.CutPrefix(f, strings.TrimSuffix(q.Image, "/")+"/")
		if !ok {
			below = strings.TrimPrefix(f, "/")
		}
		for name := path.Clean(below); name != "." && name != "/"; name = path.Dir(name) {
			p.wanted[name] = true
		}
	}
	return p
}

// leads tells a name on the way to a file that a profile names.
func (p *places) leads(name string) bool { return p.wanted[name] }

// entered says whether all of a directory is read, else only what leads to a file that
// a profile names.
func (p *places) entered(name string, entries []fs.DirEntry) bool {
	if slices.Contains(never, name) {
		return false
	}
	if !p.running || len(entries) == 0 {
		return true
	}
	worktree := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" })
	switch {
	case slices.Contains(personal, name):
	case worktree && !p.leads(name):
	default:
		return true
	}
	if !slices.Contains(p.left, name) {
		p.left = append(p.left, name)
	}
	return false
}

// note says what was left out.
func (p *places) note() []string {
	if len(p.left) == 0 {
		return nil
	}
	slices.Sort(p.left)
	named := make([]string, 0, maxNamed+1)
	for _, name := range p.left[:min(len(p.left), maxNamed)] {
		named = append(named, "/"+name)
	}
	if more := len(p.left) - maxNamed; more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return []string{"left out: " + strings.Join(named, ", ") + "; --everywhere reads them"}
}
