package explain

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
)

// judgeMachine joins what rules find in the machine code of hot loops with what is
// known of the same places from the source: one finding, with both as evidence. A
// machine without the analyser has none, and the notes say so.
func (r Request) judgeMachine(ctx context.Context, facts *binfacts.Facts, found []finding.Finding, samplesOf map[string][]int32) (joined []finding.Finding, notes []string, looked string, err error) {
	answer, err := machine.Find(ctx, machine.Request{Profile: r.Profile, DebugDirs: r.DebugDirs}, facts)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, "", ctx.Err()
		}
		return found, []string{fmt.Sprintf("the machine code was not looked at: %v", err)}, "", nil
	}
	if answer.Looked.Functions > 0 {
		looked = fmt.Sprintf(" In machine code: the loops of the %d hottest functions.", answer.Looked.Functions)
	}
	for _, m := range machine.Findings(r.Profile, answer.Loops) {
		if at := sameLoop(found, m.Finding); at >= 0 {
			f := &found[at]
			f.Evidence = append(f.Evidence[:len(f.Evidence):len(f.Evidence)], m.Evidence...)
			if f.Certainty == finding.Suspected {
				f.Certainty = finding.Confirmed // compiled by whom it may: the code that ran has it
			}
			continue
		}
		samplesOf[m.ID] = m.Loop.Samples(r.Profile, func(mapping *profile.Mapping, address uint64) (uint64, bool) {
			_, vaddr, ok := facts.Code(mapping, address)
			return vaddr, ok
		})
		if path := fileName(r.Path); path != "" {
			m.See = append(m.See, r.loopsCommand(path, m.Loop))
		}
		found = append(found, m.Finding)
	}
	return found, answer.Notes, looked, nil
}

func (Request) loopsCommand(path string, l *machine.Loop) string {
	return shellwords.Join([]string{"whyhot", "loops", path, "--match", "^" + regexp.QuoteMeta(l.Function) + "$"})
}

// sameLoop is the finding in the source that a finding in machine code is about too,
// -1 for none: their lines meet, and their rules are about the same.
func sameLoop(found []finding.Finding, m finding.Finding) int {
	for i, f := range found {
		if f.Place.Line == 0 || m.Place.Line == 0 || !machine.Meets(m, f.Rule) || !sameFile(f.Place.File, m.Place.File) {
			continue
		}
		if f.Place.Line <= max(m.Place.EndLine, m.Place.Line) && max(f.Place.EndLine, f.Place.Line) >= m.Place.Line {
			return i
		}
	}
	return -1
}

// sameFile compares by name and directory: a profile names files as they were built.
func sameFile(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	da, db := filepath.Base(filepath.Dir(a)), filepath.Base(filepath.Dir(b))
	return da == db || !strings.Contains(a, "/") || !strings.Contains(b, "/")
}
