package compdb

import (
	"path/filepath"
	"slices"
	"strings"
)

// Flags that gcc has and clang 19 refuses; dropping them changes how fast the
// code gets, not what it means. An entry that ends in = or * is a prefix.
var gccOnly = []string{
	"-flto-partition=*", "-fipa-*", "-fno-ipa-*", "-fno-partial-inlining", "-fpartial-inlining", "-fpredictive-commoning",
	"-fno-predictive-commoning", "-ftree-*", "-fno-tree-*", "-fsplit-loops", "-fno-split-loops", "-fvect-cost-model*",
	"-fsimd-cost-model*", "-fgraphite*", "-floop-*", "-fno-loop-*", "-fprofile-partial-training", "-fno-reorder-functions",
	"-freorder-blocks-algorithm=*", "-fno-reorder-blocks*", "-fvar-tracking*", "-fno-var-tracking*",
	"-fno-allow-store-data-races", "-fallow-store-data-races", "-fconserve-stack", "-maccumulate-outgoing-args",
	"-mno-accumulate-outgoing-args", "-mrecord-mcount", "-fno-enforce-eh-specs", "-fanalyzer*", "-fsched-*", "-fno-sched-*",
	"-fselective-scheduling*", "-fsel-sched-*", "-gstatement-frontiers", "-gno-statement-frontiers",
	"-gvariable-location-views*", "-gno-variable-location-views", "-gno-as-locview-support", "-gas-locview-support",
	"-gas-loc-support", "-gno-as-loc-support", "-gtoggle", "-fno-trampolines", "-ftrampolines", "-fno-toplevel-reorder",
	"-fno-section-anchors", "-fsection-anchors", "-fharden-*", "-fcallgraph-info*", "-fdump-*", "-fopt-info*", "-fplugin=*",
	"-fplugin-arg-*", "-mavx512er", "-mavx5124fmaps", "-mavx5124vnniw", "-mprefetchwt1", "-mavx512pf", "-fgcse*",
	"-fno-gcse*", "-fmodulo-sched*", "-fweb", "-frename-registers", "-fno-rename-registers", "-fira-*", "-fno-ira-*",
	"-fno-code-hoisting", "-fcode-hoisting", "-fno-store-merging", "-fstore-merging", "-fno-ssa-*", "-fssa-*",
	"-fisolate-erroneous-paths-*", "-fno-isolate-erroneous-paths-*", "-fcx-fortran-rules", "-fno-printf-return-value",
	"-fprintf-return-value", "-fno-expensive-optimizations", "-fstrict-volatile-bitfields", "-fno-strict-volatile-bitfields",
	"--param=*", "-fmax-errors=*", "-fdiagnostics-urls=*", "-fdiagnostics-path-format=*", "-fconcepts", "-fconcepts-ts",
	"-fmodules-ts", "-fmodule-mapper=*", "-fdeps-*", "-static-libgcc", "-fhardened", "-flinker-output=*",
}

// Flags that change what the code means under gcc; they are dropped, and the
// user is told.
var meaning = []string{"-flifetime-dse*", "-fno-lifetime-dse", "-fprofile-use*", "-fbranch-probabilities", "-fauto-profile*",
	"-fabi-version=*", "-fabi-compat-version=*", "-fgnu-tm", "-fgnu-unique", "-fno-gnu-unique", "-mgeneral-regs-only"}

// Flags of the command line that are no business of the analysis. The ones
// with a value in the next argument come second.
var (
	outputFlags = []string{"-MD", "-MMD", "-MP", "-MG", "-M", "-MM", "-save-temps*", "--coverage", "-ftest-coverage", "-fprofile-arcs", "-pipe", "-Winvalid-pch",
		"-pedantic", "-pedantic-errors", "-Wpedantic", "-Werror*", "-gsplit-dwarf*", "-gz*",
		// Findings name the files where they are.
		"-ffile-prefix-map=*", "-fdebug-prefix-map=*", "-fmacro-prefix-map=*", "-fcoverage-prefix-map=*", "-fprofile-prefix-map=*", "-fdebug-compilation-dir=*"}
	outputFlagsValue = []string{"-o", "-MF", "-MT", "-MQ", "-dumpbase", "-dumpdir", "--serialize-diagnostics", "--param"}
)

// withoutOutputs drops what has a compiler write files.
func withoutOutputs(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains(writesNext, a):
			i++
		case matches(writes, a) || len(a) > 2 && strings.HasPrefix(a, "-o") && !strings.HasPrefix(a, "-object"):
		default:
			out = append(out, a)
		}
	}
	return out
}

var (
	writes     = []string{"-MD", "-MMD", "-MP", "-MG", "-M", "-MM", "-MF*", "-MT*", "-MQ*", "-Wp,-M*", "-save-temps*", "-gsplit-dwarf*"}
	writesNext = []string{"-o", "-MF", "-MT", "-MQ", "-dumpbase", "-dumpdir", "--serialize-diagnostics"}
)

// replaced maps gcc's spelling to clang's.
var replaced = map[string][]string{
	"-mabm":                              {"-mlzcnt", "-mpopcnt"},
	"-mtune=intel":                       {"-mtune=generic"},
	"-fno-ipa-cp":                        nil,
	"-Og":                                {"-O1"},
	"-O4":                                {"-O3"},
	"-Ofast":                             {"-O3", "-ffast-math"},
	"-fno-aggressive-loop-optimizations": nil,
	"-E":                                 {"-c"},
}

// forClang rewrites a command line for clang's front end: what only gcc knows
// is dropped or mapped, what writes files is dropped, warnings are off. foreign
// are the flags that clang refuses, as they are written.
func forClang(args []string) (out, notes, foreign []string) {
	args = withoutPrecompiled(args)
	out = []string{compilerName(args[0])}
	if isCxxDriver(args[0]) {
		out = append(out, "--driver-mode=g++")
	}
	var dropped, changed []string
	for i := 1; i < len(args); i++ {
		a := args[i]
		to, isReplaced := replaced[a]
		switch {
		case slices.Contains(outputFlagsValue, a):
			i++
		case matches(outputFlags, a), strings.HasPrefix(a, "-MF"), strings.HasPrefix(a, "-MT"), strings.HasPrefix(a, "-MQ"),
			strings.HasPrefix(a, "-Wp,-M"), len(a) > 2 && strings.HasPrefix(a, "-o") && !strings.HasPrefix(a, "-object"):
		case isReplaced:
			out = append(out, to...)
			if len(to) > 0 && a != "-E" {
				changed = append(changed, a)
			}
		case strings.HasPrefix(a, "-mpreferred-stack-boundary="):
			out = append(out, stackAlignment(a)...)
		case matches(meaning, a):
			changed = append(changed, a)
		case matches(gccOnly, a):
			dropped = append(dropped, a)
		default:
			out = append(out, a)
		}
	}
	// Warnings are not asked for, and -Werror must not turn one into the loss
	// of a unit.
	out = append(out, "-w", "-Wno-error", "-Wno-unknown-warning-option")
	if len(dropped) > 0 {
		notes = append(notes, "flags that only gcc has were dropped: "+strings.Join(dropped, " "))
	}
	if len(changed) > 0 {
		notes = append(notes, "flags that clang takes differently or not at all: "+strings.Join(changed, " "))
	}
	return out, notes, slices.Concat(dropped, slices.DeleteFunc(changed, func(f string) bool { return strings.HasPrefix(f, "-O") }))
}

// forFrontEnd says that the next argument is clang's front end's.
const forFrontEnd = "-Xclang"

// withoutPrecompiled lets the header be parsed that a precompiled one was made
// of: only the very compiler that made it can read that. CMake names both, a
// hand-written command only the precompiled one.
func withoutPrecompiled(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == forFrontEnd && i+3 < len(args) && args[i+1] == "-include-pch" && args[i+2] == forFrontEnd:
			out = append(out, "-include", headerOf(args[i+3]))
			i += 3
		case a == "-include-pch" && i+1 < len(args):
			out = append(out, "-include", headerOf(args[i+1]))
			i++
		default:
			out = append(out, a)
		}
	}
	return out
}

func headerOf(precompiled string) string {
	return strings.TrimSuffix(strings.TrimSuffix(precompiled, ".pch"), ".gch")
}

// stackAlignment turns gcc's power of two into clang's number of bytes.
func stackAlignment(flag string) []string {
	bytes, ok := map[string]string{"2": "4", "3": "8", "4": "16", "5": "32", "6": "64"}[flag[strings.IndexByte(flag, '=')+1:]]
	if !ok {
		return nil
	}
	return []string{"-mstack-alignment=" + bytes}
}

func matches(list []string, flag string) bool {
	for _, p := range list {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(flag, prefix) || p == flag {
			return true
		}
	}
	return false
}

// compilerName keeps a target prefix such as aarch64-linux-gnu- and nothing
// else of the compiler's path: clang derives the target from it.
func compilerName(path string) string {
	base := filepath.Base(path)
	for _, tail := range []string{"-gcc", "-g++", "-cc", "-c++", "-clang", "-clang++"} {
		if i := strings.Index(base, tail); i > 0 && strings.Count(base[:i], "-") >= 2 {
			return base[:i] + "-clang"
		}
	}
	return "clang"
}

func isCxxDriver(path string) bool {
	base := strings.TrimRight(filepath.Base(path), "0123456789.-")
	return strings.HasSuffix(base, "++")
}
