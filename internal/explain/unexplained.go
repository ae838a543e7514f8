package explain

import (
	"path/filepath"
	"strings"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/explain/unexplained"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// unexplained shows where the time goes in functions that no finding is about; open is
// the share of all that none is about.
func (r Request) unexplained(facts *binfacts.Facts, h heard, found []finding.Finding) (shown []finding.Unexplained, open float64) {
	looked := strings.Join(h.looked, " ")
	samplesOf := map[string][]int32{}
	for i := range h.found {
		samplesOf[h.found[i].ID] = h.found[i].Samples
	}
	if r.Source == nil && hasC(r.Profile) {
		looked += " Its source was not analysed: -p BUILD_DIR does that for C and C++."
	}
	reader := unexplained.New(unexplained.Input{
		Profile: r.Profile, Findings: found, Samples: samplesOf, Text: facts.Source, Looked: looked,
		Machine: func(m *profile.Mapping, address uint64) (text, kind string, ok bool) {
			in, ok := facts.Instruction(m, address)
			return in.Text, string(in.Kind), ok
		},
	})
	out := append(reader.Functions(), reader.Spread()...)
	for i := range out {
		out[i].See = r.waysOn(&out[i])
	}
	if c, ok := r.counting(); ok && len(out) > 0 {
		out[0].See = append(out[0].See, c)
	}
	return out, reader.Share()
}

// counting is the command that counts calls of hot functions; ok is false where that was done, or
// cannot be.
func (r Request) counting() (c finding.Command, ok bool) {
	path, meta := fileName(r.Path), &r.Profile.Meta
	if path == "" || !meta.Recorded || len(meta.Command) == 0 || len(meta.Functions) > 0 || !repetition.HasCountable(r.Profile) {
		return c, false
	}
	return finding.Command{Verb: "count", Args: []string{"--calls", "--profile", path}, Program: meta.Command}, true
}

// hasC says whether a program's own functions may be of C or C++: the sources say so, or nobody
// knows them.
func hasC(p *profile.Profile) bool {
	for id := range p.NumFunctions() {
		f := p.Function(profile.FunctionID(id))                                                      //nolint:gosec // functions are numbered so
		if f.Kind != profile.KindNative || ownline.Origin(p, profile.FunctionID(id)) != origin.Own { //nolint:gosec // as above
			continue
		}
		switch strings.ToLower(filepath.Ext(f.File)) {
		case "", ".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp":
			return true
		}
	}
	return false
}

// waysOn are the commands that show more of a function.
func (r Request) waysOn(u *finding.Unexplained) []finding.Command {
	var out []finding.Command
	if path := fileName(r.Path); path != "" && len(u.Lines) > 0 {
		out = append(out, finding.Command{Verb: "lines", Args: []string{path, u.Place.Function}})
	}
	if path := fileName(r.Path); path != "" && len(u.Machine) > 0 {
		out = append(out, machine.LoopsCommand(path, u.Place.Function))
	}
	if r.Source != nil && r.Source.Build.Dir() != "" && len(u.Lines) > 0 {
		at := finding.Line{File: u.Lines[0].File, Line: u.Lines[0].Line}
		out = append(out, finding.Command{Verb: "explain-loop", Args: []string{at.String(), "-p", r.Source.Build.Dir()}})
	}
	return out
}
