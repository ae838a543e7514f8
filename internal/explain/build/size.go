package build

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleSize is a build for size: it keeps loops scalar and calls small functions. What else
// is said of the binary holds all the same.
const RuleSize = "build-for-size"

const (
	leastOfSize, mostOfSize = 0.05, 0.75 // of its share; one program of vectors took 3.3 times as long
)

// forSize are findings about hot binaries that were built for size: by what debug
// information says, or by the profile in Cargo.toml above a binary of Rust.
func forSize(p *profile.Profile, all []Quality, source func(path string) ([]string, bool)) []finding.Finding {
	var out []finding.Finding
	for _, q := range all {
		if q.Share < large || q.Problem != "" {
			continue
		}
		f := of(p, q, RuleSize, leastOfSize, mostOfSize, usualCost)
		said, step := "", "rebuild with -O2 or -O3; where size matters, for the hot files alone"
		if q.Level == "-Os" || q.Level == "-Oz" {
			said = "its debug information says " + q.Level + " of " + units(q)
		} else if file, line, level := cargoLevel(q.Binary, source); level != "" {
			f.Place.File, f.Place.Line = file, line
			said = fmt.Sprintf("%s:%d sets opt-level = %s", filepath.Base(file), line, level)
			step = `opt-level = 3 in that profile of Cargo.toml; where size matters, for the hot crates alone: [profile.release.package.NAME]`
		}
		if said == "" {
			continue
		}
		f.Title, f.Evidence = filepath.Base(q.Binary)+" is built for size; build for speed", []finding.Evidence{{Kind: kind, Text: said}}
		f.Fix.Steps, f.Fix.Caveats = []string{step}, []string{"the binary grows"}
		out = append(out, f)
	}
	return out
}

var (
	// cargoBinary is where Cargo puts a program: the folder of the workspace, then that of the
	// profile, which a folder of the target may stand before.
	cargoBinary = regexp.MustCompile(`^(.*)/target/(?:[^/]+/)?([^/]+)/(?:examples/|deps/)?[^/]+$`)
	cargoTable  = regexp.MustCompile(`^\s*\[\s*([^\]]+?)\s*\]`)
	cargoSets   = regexp.MustCompile(`^\s*opt-level\s*=\s*("[sz]")\s*(?:#|$)`)
)

// cargoLevel is the line of Cargo.toml that has the profile of a binary built for size, and
// the level there; "" where none does.
func cargoLevel(binary string, source func(path string) ([]string, bool)) (file string, line int, level string) {
	m := cargoBinary.FindStringSubmatch(binary)
	if m == nil {
		return "", 0, ""
	}
	name := m[2]
	if name == "debug" {
		name = "dev" // the one profile whose folder has another name
	}
	file = filepath.Join(m[1], "Cargo.toml")
	lines, _ := source(file)
	table := ""
	for n, text := range lines {
		if t := cargoTable.FindStringSubmatch(text); t != nil {
			table = strings.ReplaceAll(t[1], `"`, "")
			continue
		}
		if s := cargoSets.FindStringSubmatch(text); s != nil && table == "profile."+name {
			return file, n + 1, s[1]
		}
	}
	return "", 0, ""
}
