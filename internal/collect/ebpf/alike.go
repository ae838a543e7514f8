package ebpf

import (
	endian "encoding/binary"

	"whyhot/internal/collect/statement"
	"whyhot/internal/profile"
)

// mostlyOne is the part of the samples of alike stacks that one statement has, where all of
// them are taken for its.
const mostlyOne = 0.9

// leastSeen is how many samples of a statement tell how much more of it there was.
const leastSeen = 5

// alike gives samples within a library of a database the statement that its callers execute
// elsewhere in the recording: where probes are taken out of a library, since it is called too
// often, nothing else tells. inLibrary says whether a location is within one.
//
// Example. A loop looks up a row by its key half a million times a second. Probes see a
// twentieth of that, and load at app.py:12 is above all of it: what else is below it is that
// statement. times is how much more of each there is than was seen.
func alike(p *profile.Profile, inLibrary func(profile.LocationID) bool) (_ *profile.Profile, times statement.Times) {
	votes := map[string]map[string]int64{}
	seen, guessed := map[[2]string]int64{}, map[[2]string]int64{}
	times = func(system, text string) (float64, bool) {
		k := [2]string{system, text}
		return 1 + float64(guessed[k])/float64(max(seen[k], 1)), seen[k] >= leastSeen
	}
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
		all[1] = database.Str + "\x01" + keyOf(roughly(p, callers))
		return all, database.Str, statement.Str
	}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		of, system, text := keys(s)
		open = open || system != "" && text == ""
		if text == "" {
			continue
		}
		seen[[2]string{system, text}] += s.Count
		for _, key := range of {
			if votes[key] == nil {
				votes[key] = map[string]int64{}
			}
			votes[key][text] += s.Value
		}
	}
	if !open || len(votes) == 0 {
		return p, times
	}
	homes := homesOf(votes)
	return p.Retold(func(s *profile.Sample) ([]profile.Label, int64, bool) {
		of, system, text := keys(s)
		if system == "" || text != "" {
			return nil, s.Time, true
		}
		for _, key := range of {
			if one := chosen(votes, key, homes); one != "" {
				guessed[[2]string{system, one}] += s.Count
				return []profile.Label{{Key: profile.LabelStatement, Str: one}}, s.Time, true
			}
		}
		return nil, s.Time, true
	}), times
}

// leastHome is the part of a statement's samples that where it is at home has at least.
const leastHome = 0.05

// homesOf are, by statement, where nearly all samples are its.
func homesOf(votes map[string]map[string]int64) map[string]map[string]bool {
	homes, sums := map[string]map[string]bool{}, map[string]int64{}
	for _, of := range votes {
		for text, n := range of {
			sums[text] += n
		}
	}
	for key, of := range votes {
		all := int64(0)
		for _, n := range of {
			all += n
		}
		for text, n := range of {
			if float64(n) >= mostlyOne*float64(all) && float64(n) >= leastHome*float64(sums[text]) {
				if homes[text] == nil {
					homes[text] = map[string]bool{}
				}
				homes[text][key] = true
			}
		}
	}
	return homes
}

// chosen is the statement with most of the votes of a key, "" where none has nearly all. A
// statement that is at home elsewhere does not count: its end was not seen, and what comes after
// it was taken for its.
func chosen(votes map[string]map[string]int64, key string, homes map[string]map[string]bool) string {
	all, most, best := int64(0), int64(0), ""
	for text, n := range votes[key] {
		if n > most || n == most && text < best {
			most, best = n, text
		}
	}
	for text, n := range votes[key] {
		if text == best || len(homes[text]) == 0 || homes[text][key] {
			all += n
		}
	}
	if float64(most) < mostlyOne*float64(all) {
		return ""
	}
	return best
}

// roughly are callers by which stacks are alike whose functions of the library are others, as
// to bind, to step and to reset: the lines of a script, and of machine code all but the
// function that calls, which has one address for each.
func roughly(p *profile.Profile, callers []profile.LocationID) (out []profile.LocationID) {
	for _, loc := range callers {
		switch p.Function(p.Lines(loc)[0].Function).Kind { //nolint:exhaustive // the others are of scripts
		case profile.KindNative, profile.KindKernel, profile.KindUnknown, profile.KindVDSO, profile.KindGo:
		default:
			out = append(out, loc)
		}
	}
	if len(out) == 0 && len(callers) > 1 {
		return callers[1:]
	}
	return out
}

func keyOf(callers []profile.LocationID) string {
	var b []byte
	for _, loc := range callers {
		b = endian.NativeEndian.AppendUint32(b, uint32(loc))
	}
	return string(b)
}
