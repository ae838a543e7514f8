package rebuild

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/pgo"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// phase is which of a variant's builds it is.
type phase int

const (
	final phase = iota
	instrumented
)

// flagsOf translates a build for one family. An instrumented build is linked
// plainly: link-time optimisation and relocations would only make it slower to
// build.
func flagsOf(b *variant.Build, f wrapper.Family, ph phase, counts string, lto *ltoTools) (wrapper.Flags, error) {
	var out wrapper.Flags
	compile, link, err := userFlags(b, f)
	if err != nil {
		return out, err
	}
	out.Compile, out.Link = compile, link
	if b.Profile != "" {
		if of, err := pgo.FamilyOf(b.Profile); err != nil {
			return out, err
		} else if of == f {
			out.Compile = append(out.Compile, pgo.UseSamples(f, b.Profile)...)
		}
	}
	if b.Sampled {
		if ph == instrumented {
			out.Compile = append(out.Compile, pgo.Sampled(f)...)
			return out, nil
		}
		if pgo.ReadsSamples(f) {
			out.Compile = append(out.Compile, pgo.UseSamples(f, pgo.SampleFile(f, counts))...)
		}
	}
	if ph == instrumented {
		out.Compile = append(out.Compile, pgo.Instrument(f, counts)...)
		return out, nil
	}
	if b.PGO && !b.Sampled {
		out.Compile = append(out.Compile, pgo.Use(f, counts)...)
	}
	if b.LTO != "" {
		compile, link := ltoFlags(f, b.LTO, lto)
		out.Compile, out.Link = append(out.Compile, compile...), append(out.Link, link...)
		out.Archive = lto.archivers[f]
	}
	if b.BOLT {
		if f == wrapper.Rust {
			out.Compile = append(out.Compile, bolt.RustFlags()...)
		} else {
			out.Compile = append(out.Compile, bolt.CompileFlags(f)...)
			out.Link = append(out.Link, bolt.LinkFlags()...)
		}
	}
	return out, nil
}

// exportFormat is the name of a family's form of samples.
func exportFormat(f wrapper.Family) string {
	if f == wrapper.Go {
		return "go-pgo"
	}
	return "llvm-sample"
}

func userFlags(b *variant.Build, f wrapper.Family) (compile, link []string, err error) {
	if f == wrapper.Go {
		return nil, nil, nil
	}
	if f == wrapper.Rust {
		compile, err = shellwords.Split(b.RustFlags)
		return compile, nil, err
	}
	if compile, err = shellwords.Split(b.CFlags); err != nil {
		return nil, nil, err
	}
	link, err = shellwords.Split(b.LDFlags)
	return compile, link, err
}

// ltoTools are what link-time optimisation needs beside the compiler.
type ltoTools struct {
	archivers map[wrapper.Family]map[string]string
	clangLink string // -fuse-ld=…
}

// ltoFlags: GCC's objects hold machine code as well (-ffat-lto-objects), so that
// archivers and tools that know nothing of link-time optimisation still work; it
// costs time, not speed. rustc is told through cargo's profile.
func ltoFlags(f wrapper.Family, kind string, tools *ltoTools) (compile, link []string) {
	switch f {
	case wrapper.GCC:
		return []string{"-flto=auto", "-ffat-lto-objects"}, nil
	case wrapper.Clang:
		if kind == "auto" {
			kind = "thin"
		}
		return []string{"-flto=" + kind}, []string{tools.clangLink}
	case wrapper.Rust, wrapper.Go, wrapper.Other:
	}
	return nil, nil
}

// always are the flags of every side: places as the original has them, in debug
// information and __FILE__, so that two programs from the same code are the same.
func always(f wrapper.Family, oldest int, from, to string) []string {
	switch f {
	case wrapper.GCC, wrapper.Clang:
		out := []string{"-fdebug-prefix-map=" + from + "=" + to}
		if f == wrapper.GCC && oldest >= 8 || f == wrapper.Clang && oldest >= 10 {
			out = append(out, "-fmacro-prefix-map="+from+"="+to)
		}
		if f == wrapper.Clang {
			// Flags of the compiler are given to linking too, and -Werror must not
			// trip over those that linking does not need.
			out = append(out, "-Qunused-arguments")
		}
		return out
	case wrapper.Rust:
		return []string{"--remap-path-prefix=" + from + "=" + to}
	case wrapper.Go:
		return []string{"-trimpath"}
	case wrapper.Other:
	}
	return nil
}

var cargoProfile = regexp.MustCompile(`--profile[= ]([\w-]+)`)

// cargoEnv is what cargo is told by its environment.
func cargoEnv(b *variant.Build, command string, ph phase) []string {
	if b == nil || b.LTO == "" || ph != final {
		return nil
	}
	name := "release"
	if m := cargoProfile.FindStringSubmatch(command); m != nil {
		name = m[1]
	}
	kind := b.LTO
	if kind != "thin" {
		kind = "fat"
	}
	key := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	return []string{"CARGO_PROFILE_" + key + "_LTO=" + kind}
}

// steps are a build in words that repeat it by hand.
func steps(b *variant.Build, families []wrapper.Family, lto *ltoTools, command string) []string {
	var out []string
	for _, p := range b.Patches {
		out = append(out, "patch -p1 < "+p)
	}
	for _, f := range families {
		describe := func(ph phase, what string) {
			flags, err := flagsOf(b, f, ph, "PROFILE", lto)
			if err != nil || len(flags.Compile)+len(flags.Link) == 0 {
				return
			}
			text := fmt.Sprintf("%s (%s): compile with %s", what, f, strings.Join(tidy(flags.Compile), " "))
			if len(flags.Link) > 0 {
				text += "; link with " + strings.Join(flags.Link, " ")
			}
			out = append(out, text)
		}
		switch {
		case b.Sampled:
			describe(instrumented, "build to sample")
			out = append(out, "whyhot record -o PROFILE -- TRAINING, then whyhot profile export --format "+exportFormat(f)+" PROFILE")
		case b.PGO:
			describe(instrumented, "instrument")
			out = append(out, "train")
		}
		describe(final, "build")
	}
	if slices.Contains(families, wrapper.Rust) {
		out = append(out, cargoEnv(b, command, final)...)
	}
	if b.BOLT {
		out = append(out, "llvm-bolt")
	}
	return out
}

// tidy leaves out the flags that are ours alone.
func tidy(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		return strings.HasPrefix(f, "-Wno-error") || f == "-Wmissing-profile"
	})
}

// absolute paths of patches, since builds run elsewhere.
func absolute(paths []string) ([]string, error) {
	out := make([]string, len(paths))
	for i, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		out[i] = full
	}
	return out, nil
}
