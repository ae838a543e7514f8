package session

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/collect/namemap"
	"whyhot/internal/profile"
)

// nameMaps is what a command's runtime was asked for.
type nameMaps struct {
	env   []string
	notes []string
}

func (o *Options) nameMaps() nameMaps {
	var m nameMaps
	if o.Plain || len(o.Target.Command) == 0 {
		return m
	}
	for _, s := range namemap.For(o.Target.Command, o.Dir, os.Environ()) {
		m.env = append(m.env, s.Env...)
		m.notes = append(m.notes, s.Runtime+" was asked for names and frame pointers of the code that it generates: "+strings.Join(s.Env, " ")+" (--plain leaves the environment unchanged)")
	}
	return m
}

// mapFile is where runtimes write such a map.
var mapFile = regexp.MustCompile(`^/tmp/perf-\d+\.map$`)

// remove takes away the maps that would not be there without the recording: those that
// samples fall into, of files that this user's processes made since it began.
func (m *nameMaps) remove(p *profile.Profile, began time.Time) {
	if len(m.env) == 0 {
		return
	}
	for i := range p.NumMappings() {
		path := p.Mapping(profile.MappingID(i)).Path
		if !mapFile.MatchString(path) {
			continue
		}
		st, err := os.Lstat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if owner, ok := st.Sys().(*syscall.Stat_t); ok && int(owner.Uid) == os.Geteuid() && st.ModTime().After(began) {
			_ = os.Remove(path) // it has been read
		}
	}
}
