package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/lsp/drift"
	"whyhot/internal/lsp/reference"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// shown is a profile, with what is known of its files.
type shown struct {
	p      Profile
	events int64
	finder reference.Finder
	byFile map[string][]profile.FunctionID // functions with samples, by the name of their file
	byBase map[string][]string             // these names, by their last part
	paid   map[sourceLine]int64

	mu       sync.Mutex
	files    map[string]*known // by path on this machine
	findings []finding.Finding
	waits    []finding.Wait
}

// known is a file of which the profile has lines.
type known struct {
	recorded string   // its name in the profile
	lines    []string // the text that the profile is of
	how      string
	rows     map[int]lineRow // by number from 0
	why      string          // nothing may be shown
}

// lineRow is what a profile has of a line.
type lineRow struct {
	view.LineRow

	// paid is what the line itself does and has libraries, a runtime and the kernel do.
	paid int64
}

func newShown(p Profile) *shown {
	s := &shown{p: p, events: view.Events(p.Profile), byFile: map[string][]profile.FunctionID{}, byBase: map[string][]string{}, files: map[string]*known{}, paid: paidBy(p.Profile)}
	s.finder.Profile = p.Profile
	for i := range p.NumFunctions() {
		id := profile.FunctionID(i)
		file := p.Function(id).File
		if file == "" {
			continue
		}
		if s.byFile[file] == nil {
			base := filepath.Base(file)
			s.byBase[base] = append(s.byBase[base], file)
		}
		s.byFile[file] = append(s.byFile[file], id)
	}
	return s
}

// sourceLine is a line of a file as the profile names it.
type sourceLine struct {
	file string
	line int32
}

// paidBy has each sample counted for the innermost line of the program's own code.
func paidBy(p *profile.Profile) map[sourceLine]int64 {
	out := map[sourceLine]int64{}
	lines := ownline.Of(p)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if l, _, ok := lines.Innermost(s.Stack); ok && l.Line > 0 {
			out[sourceLine{p.Function(l.Function).File, l.Line}] += s.Value
		}
	}
	return out
}

// recorded is the profile's name of a file of this machine, "" where it has none. Of names
// that could all be of the file, only one that is equal counts.
func (s *shown) recorded(file string) (string, error) {
	var could []string
	for _, name := range s.byBase[filepath.Base(file)] {
		if name == file {
			return name, nil
		}
		if profile.SameFile(name, file) {
			could = append(could, name)
		}
	}
	switch len(could) {
	case 0:
		return "", nil
	case 1:
		return could[0], nil
	}
	return "", fmt.Errorf("%s: could be any of %s", file, strings.Join(could, ", "))
}

// source gives the profile's lines of a file, nil where it has none. What is known of a
// file stays; what is not is looked for again when again says so.
func (s *shown) source(ctx context.Context, file string, again bool) *known {
	s.mu.Lock()
	before := s.files[file]
	s.mu.Unlock()
	if before != nil && (before.why == "" || !again) {
		return before
	}
	name, err := s.recorded(file)
	if err == nil && name == "" {
		return nil
	}
	out := &known{recorded: name}
	var text reference.Text
	if err == nil {
		text, err = s.finder.Find(ctx, file, s.byFile[name])
	}
	if err != nil {
		out.why = err.Error()
	} else {
		out.lines, out.how = drift.Split(text.Text), text.How
		out.rows = s.rows(name, len(out.lines))
	}
	s.mu.Lock()
	s.files[file] = out
	s.mu.Unlock()
	return out
}

func (s *shown) rows(name string, lines int) map[int]lineRow {
	out := map[int]lineRow{}
	for _, r := range view.Lines(s.p.Profile, s.byFile[name]).Rows {
		if r.File == name && r.Line > 0 && int(r.Line) <= lines {
			// A line of a library pays for nothing: what it does itself is all there is to say.
			out[int(r.Line)-1] = lineRow{r, max(r.Self, s.paid[sourceLine{name, r.Line}])}
		}
	}
	return out
}

func (s *shown) share(value int64) float64 { return float64(value) / float64(s.p.Total()) }

// about are the findings on a file that are worth a line.
func (s *shown) about(name string) []finding.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []finding.Finding
	for i := range s.findings {
		f := &s.findings[i]
		if f.Place.File == "" || f.Place.Line < 1 || f.Place.File != name {
			continue
		}
		if f.Certainty == finding.Refuted || f.Certainty == finding.Suspected && f.Share.Main() < least {
			continue
		}
		out = append(out, *f)
	}
	return out
}

// waitsIn are the lines of a file that wait.
func (s *shown) waitsIn(name string) (out []finding.Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.waits {
		if w := &s.waits[i]; w.Line > 0 && w.File == name {
			out = append(out, *w)
		}
	}
	return out
}

// least is the share of the CPU below which a line is not shown.
const least = 0.01

// functionAt is the function of the profile that holds a line of a file: the one that has
// the most samples there.
func (s *shown) functionAt(name string, line int) (profile.FunctionID, bool) {
	best, most := profile.FunctionID(0), int64(-1)
	for _, id := range s.byFile[name] {
		for _, r := range view.Lines(s.p.Profile, []profile.FunctionID{id}).Rows {
			if r.File == name && int(r.Line) == line+1 && r.Total > most {
				best, most = id, r.Total
			}
		}
	}
	return best, most >= 0
}

// placed is a file's lines where they are in the text that is open.
type placed struct {
	source *known
	at     []int // by line of the profile's text
	text   []string
}

func place(from *known, text []string) *placed {
	return &placed{source: from, at: drift.Map(from.lines, text), text: text}
}

// was is the profile's line that is at a line of the open text.
func (p *placed) was(line int) (int, bool) {
	i := slices.Index(p.at, line)
	return i, i >= 0
}

// lineRange is all of a line but its indentation.
func lineRange(text []string, line int) textRange {
	if line < 0 || line >= len(text) {
		return textRange{}
	}
	indent := text[line][:len(text[line])-len(strings.TrimLeft(text[line], " \t"))]
	return textRange{position{line, columns(indent)}, position{line, columns(text[line])}}
}
