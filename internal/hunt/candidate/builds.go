package candidate

import "strings"

// build is a way to build any C or C++ program.
type build struct {
	kind     Kind
	variant  string
	group    string
	expected float64 // share of the time: the middle of what trials of whyhot saw
	builds   float64 // what it costs: PGO is built twice and trained between
	how      string
	caveats  []string
}

var builds = []build{
	{kind: Flags, variant: "cflags=-O3", group: levelGroup, expected: 0.02, builds: 1},
	{
		kind: Flags, variant: "cflags=-march=native", expected: 0.02, builds: 1,
		caveats: []string{"the program then runs on processors like this one only"},
	},
	{kind: LTO, variant: "lto", expected: 0.02, builds: 1.5, how: "build with link-time optimisation (gcc: -flto=auto, clang: -flto=thin)"},
	{
		kind: PGO, variant: "pgo", expected: 0.08, builds: 2.5, how: "build with profile-guided optimisation",
		caveats: []string{"the training has to be like the real load"},
	},
	{
		kind: BOLT, variant: "bolt", expected: 0.03, builds: 2, how: "lay the linked program out anew with llvm-bolt",
		caveats: []string{"the training has to be like the real load"},
	},
}

// builds adds the ways to build.
func (l *list) builds() {
	for i := range builds {
		b := &builds[i]
		if b.kind == BOLT && !l.in.BOLT {
			continue
		}
		c := Candidate{Kind: b.kind, Group: b.group, Variant: b.variant, Expected: b.expected, Builds: b.builds, How: b.how, Caveats: b.caveats}
		if c.How == "" {
			c.How = "build with " + strings.TrimPrefix(b.variant, "cflags=")
		}
		_ = l.add(c) // its text is ours
	}
}
