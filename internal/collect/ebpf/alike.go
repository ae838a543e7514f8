package ebpf

import (
	endian "encoding/binary"

	"whyhot/internal/profile"
)

const (
	// nearCallers are those by which stacks are alike that differ further out.
	nearCallers = 8
	// mostlyOne is the part of the samples of alike stacks that one statement has, where all
	// of them are taken for its.
	mostlyOne = 0.9
)

// alike gives samples within a library of a database the statement that its callers execute
// elsewhere in the recording: where probes are taken out of a library, since it is called too
// often, nothing else tells. inLibrary says whether a location is within one.
//
// Example. A loop looks up a row by its key half a million times a second. Probes see a
// twentieth of that, and load at app.py:12 is above all of it: what else is below it is that
// statement.
func alike(p *profile.Profile, inLibrary func(profile.LocationID) bool) *profile.Profile {
	votes := map[string]map[string]int64{}
	open := false
	keys := func(s *profile.Sample) (all [2]string, of, text string) {
		database, _ := p.Label(s.Labels, profile.LabelDatabase)
		statement, _ := p.Label(s.Labels, profile.LabelStatement)
		if database.Str == "" {
			return all, "", ""
		}
		stack := p.Stack(s.Stack)
		at := -1
		for i, loc := range stack {
			if inLibrary(loc) {
				at = i
			}
		}
		if at < 0 {
			return all, "", ""
		}
		callers := stack[at+1:]
		all[0] = database.Str + "\x00" + keyOf(callers)
		all[1] = database.Str + "\x01" + keyOf(callers[:min(nearCallers, len(callers))])
		return all, database.Str, statement.Str
	}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		of, system, text := keys(s)
		open = open || system != "" && text == ""
		if text == "" {
			continue
		}
		for _, key := range of {
			if votes[key] == nil {
				votes[key] = map[string]int64{}
			}
			votes[key][text] += s.Value
		}
	}
	if !open || len(votes) == 0 {
		return p
	}
	return p.Retold(func(s *profile.Sample) ([]profile.Label, int64, bool) {
		of, system, text := keys(s)
		if system == "" || text != "" {
			return nil, s.Time, true
		}
		for _, key := range of {
			if one := chosen(votes[key]); one != "" {
				return []profile.Label{{Key: profile.LabelStatement, Str: one}}, s.Time, true
			}
		}
		return nil, s.Time, true
	})
}

// chosen is the statement with most of the votes, "" where none has nearly all.
func chosen(votes map[string]int64) string {
	all, most, best := int64(0), int64(0), ""
	for text, n := range votes {
		all += n
		if n > most {
			most, best = n, text
		}
	}
	if float64(most) < mostlyOne*float64(all) {
		return ""
	}
	return best
}

func keyOf(callers []profile.LocationID) string {
	var b []byte
	for _, loc := range callers {
		b = endian.NativeEndian.AppendUint32(b, uint32(loc))
	}
	return string(b)
}
