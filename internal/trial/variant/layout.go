package variant

import "strings"

// Layout is one of several ways to place the same program in memory: relinked in
// another order, padded or aligned otherwise. Runs draw among the layouts of the
// baseline or variant, so that what one of them gains by accident is not taken
// for the variant's doing.
type Layout struct {
	Name    string
	Dir     string   // where the command runs, "" for where it runs without layouts
	Env     []string // K=V, on top of the environment without layouts
	Command []string // nil to keep it
}

// alignments are flags that move code and change nothing else. gcc and clang know
// both options, rustc takes LLVM's (as powers of two).
var alignments = []Build{
	{CFlags: "-falign-functions=64", RustFlags: "-Cllvm-args=-align-all-functions=6"},
	{CFlags: "-falign-functions=32 -falign-loops=32", RustFlags: "-Cllvm-args=-align-all-functions=5 -Cllvm-args=-align-all-nofallthru-blocks=5"},
	{CFlags: "-falign-functions=128", RustFlags: "-Cllvm-args=-align-all-functions=7"},
	{CFlags: "-falign-functions=16 -falign-loops=64", RustFlags: "-Cllvm-args=-align-all-functions=4 -Cllvm-args=-align-all-nofallthru-blocks=6"},
	{CFlags: "-falign-functions=256", RustFlags: "-Cllvm-args=-align-all-functions=8"},
	{CFlags: "-falign-functions=128 -falign-loops=16", RustFlags: "-Cllvm-args=-align-all-functions=7 -Cllvm-args=-align-all-nofallthru-blocks=4"},
	{CFlags: "-falign-functions=64 -falign-loops=128", RustFlags: "-Cllvm-args=-align-all-functions=6 -Cllvm-args=-align-all-nofallthru-blocks=7"},
	{CFlags: "-falign-functions=256 -falign-loops=32", RustFlags: "-Cllvm-args=-align-all-functions=8 -Cllvm-args=-align-all-nofallthru-blocks=5"},
}

// MostLayouts is how many layouts of a build there are, with the build as it is.
var MostLayouts = 1 + len(alignments)

// LaidOut is a build that is laid out otherwise.
type LaidOut struct {
	Name  string // what is different
	Build *Build
}

// Alignments are n layouts of a build, nil for the baseline's, without the build
// as it is: its own flags, and behind them those of an alignment.
func Alignments(b *Build, n int) []LaidOut {
	out := make([]LaidOut, 0, n)
	for _, a := range alignments[:n] {
		laid := Build{CFlags: a.CFlags, RustFlags: a.RustFlags}
		if b != nil {
			laid = *b
			laid.CFlags = strings.TrimSpace(laid.CFlags + " " + a.CFlags)
			laid.RustFlags = strings.TrimSpace(laid.RustFlags + " " + a.RustFlags)
			if laid.Label != "" {
				laid.Label += " " + a.CFlags // builds are known by their names
			}
		}
		out = append(out, LaidOut{Name: a.CFlags, Build: &laid})
	}
	return out
}
