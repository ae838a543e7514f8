package view

import (
	"path"
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

// clones are the suffixes by which compilers and linkers name copies and parts of a function.
// Any edit makes them come and go, and numbers them differently.
var clones = regexp.MustCompile(`(?: \[clone [^\]]*\])+$|(?:\.(?:constprop|isra|part|cold|lto_priv|llvm|localalias)(?:\.\d+)*)+$`)

// plainName is the name of the function that a function is a copy or a part of.
func plainName(name string, kind profile.Kind) string {
	switch kind { //nolint:exhaustive // the others name no copies, and a method may be called like one
	case profile.KindNative, profile.KindKernel, profile.KindUnknown:
		if at := clones.FindStringIndex(name); at != nil && at[0] > 0 {
			return name[:at[0]]
		}
	}
	return name
}

// pairByName gives functions that only one side has the other side's key where
// the name leaves no doubt, for example after the binary was renamed.
func pairByName(a, b map[diffKey]diffSide) {
	loneA, loneB := lone(a, b), lone(b, a)
	for name, keyB := range loneB {
		keyA, ok := loneA[name]
		if !ok || keyA == (diffKey{}) || keyB == (diffKey{}) || strings.HasPrefix(name, "[") {
			continue
		}
		b[keyA] = b[keyB]
		delete(b, keyB)
	}
}

// lone maps the names that only xs has to their key, to the zero key where a
// name occurs several times.
func lone(xs, others map[diffKey]diffSide) map[string]diffKey {
	names := map[string]diffKey{}
	for key := range xs {
		if _, ok := others[key]; ok {
			continue
		}
		if _, twice := names[key.name]; twice {
			names[key.name] = diffKey{}
			continue
		}
		names[key.name] = key
	}
	return names
}

const (
	// leastRenamed is the share from which on two functions of equal cost are taken for one:
	// of small ones there are several that cost as much.
	leastRenamed = 0.01
	// likelyEqual is the probability below which two costs are not called equal.
	likelyEqual = 0.01
)

// pairRenamed takes a function that only a has and one that only b has for one that was renamed:
// where both are of one source file, or of one binary where none is known, both cost as much,
// alone and with what they call, and no other one does.
func (d *DiffTable) pairRenamed(a, b map[diffKey]diffSide) {
	forA, forB := map[diffKey][]diffKey{}, map[diffKey][]diffKey{}
	for keyB, y := range b {
		if _, there := a[keyB]; there || ratio(y.Total, d.TotalB) < leastRenamed {
			continue
		}
		for keyA, x := range a {
			if _, there := b[keyA]; there || !sameHome(x, y) || !d.costsAsMuch(x, y) {
				continue
			}
			forA[keyA], forB[keyB] = append(forA[keyA], keyB), append(forB[keyB], keyA)
		}
	}
	for keyB, list := range forB {
		if len(list) != 1 || len(forA[list[0]]) != 1 {
			continue
		}
		y := b[keyB]
		y.renamed = true
		b[list[0]] = y
		delete(b, keyB)
	}
}

// sameHome says whether two functions are where one of them may have been renamed.
func sameHome(x, y diffSide) bool {
	if strings.HasPrefix(x.name, "[") || strings.HasPrefix(y.name, "[") {
		return false // code without a name
	}
	if x.file != "" || y.file != "" {
		return path.Base(x.file) == path.Base(y.file)
	}
	return x.binary != "" && x.binary == y.binary
}

func (d *DiffTable) costsAsMuch(x, y diffSide) bool {
	eventsA, eventsB := d.eventsOf(x, y)
	for _, v := range [][2]int64{{x.Self, y.Self}, {x.Total, y.Total}} {
		a, b := ratio(v[0], d.TotalA), ratio(v[1], d.TotalB)
		p := proportionP(a, b, eventsA, eventsB)
		if d.Absolute {
			p = d.valueP(v[0], v[1])
		}
		if p < likelyEqual {
			return false
		}
	}
	return true
}
