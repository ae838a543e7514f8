package heat

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/finding/percent"
)

// worthANote is the share of all samples below which nothing is said.
const worthANote = 0.02

// Notes say how much of the profile the source of the build explains, and why
// not more.
func (h *Heat) Notes() []string {
	if h.p.Total() <= 0 {
		return nil
	}
	var out []string
	if h.inTree == 0 {
		out = append(out, "no samples are in source of this build: it is a profile of another program, or one without line numbers")
	}
	var own []Share
	for _, s := range h.shares(h.lineless) {
		if s.Share >= worthANote && s.Name != "" && !isInstalled(s.Name) {
			own = append(own, s)
		}
	}
	if len(own) > 0 {
		out = append(out, fmt.Sprintf("no line numbers for %s: build with -g (it changes no code) and record again, or give the debug files with --debug-dir", list(own)))
	}
	if outside := h.shares(h.outside); h.inTree > 0 && 1-h.InTree() >= worthANote {
		out = append(out, fmt.Sprintf("%s of the CPU is in code whose source is not in this build (libraries and their headers): %s", percent.Text(1-h.InTree()), list(outside)))
	}
	return append(out, h.stale()...)
}

// shares sorts values by binary, largest first, as shares of all samples.
func (h *Heat) shares(of map[string]int64) []Share {
	out := make([]Share, 0, len(of))
	for name, v := range of {
		out = append(out, Share{name, h.share(v)})
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(-cmp.Compare(a.Share, b.Share), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (h *Heat) share(v int64) float64 { return float64(v) / float64(h.p.Total()) }

// list names parts with their shares, the largest few.
func list(parts []Share) string {
	const most = 4
	var text []string
	for _, s := range parts[:min(most, len(parts))] {
		if len(text) > 0 && s.Share < worthANote/4 {
			break
		}
		name := filepath.Base(s.Name)
		switch s.Name {
		case "":
			name = "unknown code"
		case "[kernel.kallsyms]":
			name = "the kernel"
		}
		text = append(text, name+" "+percent.Text(s.Share))
	}
	return strings.Join(text, ", ")
}

// MissingNote says which hot functions no unit of the build defines.
func MissingNote(missing []Share) []string {
	total := 0.0
	var names []string
	const most = 3
	for _, m := range missing {
		total += m.Share
		if len(names) < most {
			names = append(names, m.Name)
		}
	}
	if total < worthANote/4 {
		return nil
	}
	return []string{fmt.Sprintf("%s of the CPU is in functions that no translation unit of the build defines with clang: %s", percent.Text(total), strings.Join(names, ", "))}
}

// stale lists hot files that were changed after the profile was recorded, or
// after their binary was built: their lines may have moved.
func (h *Heat) stale() []string {
	built := h.builtAt()
	var changed []string
	seen := map[string]bool{}
	for _, f := range h.hot {
		for _, file := range append([]string{f.key.file}, f.headers...) {
			if file == "" || seen[file] {
				continue
			}
			seen[file] = true
			info, err := os.Stat(file)
			if err != nil {
				continue // the analyser tells of it
			}
			if limit := built[f.key.binary]; !limit.IsZero() && info.ModTime().After(limit) {
				changed = append(changed, filepath.Base(file))
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	const most = 4
	text := strings.Join(changed[:min(most, len(changed))], ", ")
	if more := len(changed) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{"changed after the profiled program was built: " + text + "; lines may have moved, and shares may be on the wrong ones. Build and record again"}
}

// builtAt is when each binary of hot source was last written, and for one that
// is not at hand when the profile was recorded.
func (h *Heat) builtAt() map[string]time.Time {
	out := map[string]time.Time{}
	for _, f := range h.hot {
		if _, known := out[f.key.binary]; known {
			continue
		}
		out[f.key.binary] = h.p.Meta.Start
		if info, err := os.Stat(f.key.binary); err == nil && (h.p.Meta.Start.IsZero() || info.ModTime().Before(h.p.Meta.Start)) {
			out[f.key.binary] = info.ModTime()
		}
	}
	return out
}
