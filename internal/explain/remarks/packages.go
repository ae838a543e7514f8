package remarks

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// GoPackages are the import paths of the Go code that takes at least a hundredth of a
// profile, with what it calls. The standard library is left out: nobody edits it.
func GoPackages(p *profile.Profile) []string {
	root := goRoot(p)
	total := map[string]int64{}
	samples := p.Samples()
	for i := range samples {
		seen := map[string]bool{}
		for _, loc := range p.Stack(samples[i].Stack) {
			for _, l := range p.Lines(loc) {
				fn := p.Function(l.Function)
				pkg, ok := goPackage(fn.Name)
				if !ok || !strings.HasSuffix(fn.File, ".go") || pkg == "main" || seen[pkg] || isStandard(fn.File, pkg, root) {
					continue
				}
				seen[pkg] = true
				total[pkg] += samples[i].Value
			}
		}
	}
	maps.DeleteFunc(total, func(_ string, v int64) bool { return float64(v) < least*float64(p.Total()) })
	return slices.Sorted(maps.Keys(total))
}

// goPackage is the import path in a function's name: what stands before the first dot
// behind the last slash. Dots in the last part of a path are written %2e.
func goPackage(function string) (string, bool) {
	bare, _, _ := strings.Cut(function, "[") // type arguments have paths of their own
	slash := strings.LastIndexByte(bare, '/') + 1
	dot := strings.IndexByte(bare[slash:], '.')
	if dot < 0 {
		return "", false
	}
	path := bare[:slash+dot]
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return path, path != ""
}

// goRoot is where the standard library's source was, "" where the profile does not say.
func goRoot(p *profile.Profile) string {
	for i := range p.NumFunctions() {
		fn := p.Function(profile.FunctionID(i))
		if at := strings.LastIndex(fn.File, "/src/runtime/"); at >= 0 && strings.HasPrefix(fn.Name, "runtime.") {
			return fn.File[:at+len("/src/")]
		}
	}
	return ""
}

// isStandard: without a root, paths of modules begin with a host's name.
func isStandard(file, pkg, root string) bool {
	if root != "" {
		return strings.HasPrefix(file, root)
	}
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}
