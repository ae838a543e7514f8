package view

import (
	"slices"
	"strconv"

	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
)

// LabelText is the text of one label of a set, "" when it has none. A number is
// written out. Where the recorder named only threads, the thread's name stands
// for the process's: the main thread of a program is called like the program.
func LabelText(p *profile.Profile, set profile.LabelSetID, key string) string {
	l, ok := p.Label(set, key)
	switch {
	case ok && l.Str != "":
		return l.Str
	case ok:
		return strconv.FormatInt(l.Num, 10)
	case key == profile.LabelProcess:
		return LabelText(p, set, profile.LabelThread)
	}
	return ""
}

// labelGroups numbers the values of a label by name: texts holds them in order,
// groupOf the number of each label set. Samples without the label are a group
// named after what is missing.
func labelGroups(p *profile.Profile, key string) (texts []string, groupOf []uint32) {
	bySet := make([]string, p.NumLabelSets())
	used := make([]bool, len(bySet))
	for i := range p.Samples() {
		used[p.Samples()[i].Labels] = true
	}
	for i := range bySet {
		if bySet[i] = LabelText(p, profile.LabelSetID(i), key); bySet[i] == "" {
			bySet[i] = label.In(p, profile.LabelSetID(i), key)
		}
		if bySet[i] == "" {
			bySet[i] = "(no " + key + ")"
		}
		if used[i] {
			texts = append(texts, bySet[i])
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	groupOf = make([]uint32, len(bySet))
	for i, text := range bySet {
		n, _ := slices.BinarySearch(texts, text)
		groupOf[i] = uint32(n)
	}
	return texts, groupOf
}
