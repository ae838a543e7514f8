package bump

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Raised is a package whose version differs.
type Raised struct {
	Name, From, To string // versions, "" where a side does not have it
	Kind           Kind
}

// Kind is the ecosystem of a package: how it shows in a profile.
type Kind string

// The kinds.
const (
	Go     Kind = "go"
	Rust   Kind = "rust"
	Python Kind = "python"
	Node   Kind = "node"
	Java   Kind = "java"
	Debian Kind = "debian"
)

// format reads names and versions from the text of a file.
type format struct {
	kind Kind
	read func(text []byte) map[string]string
	// only are the versions in a file that has much else: a change of anything else is not
	// one of versions. nil where a file has little but versions.
	only *regexp.Regexp
}

// formatOf is that of a file by its name; ok is false where it names no dependencies.
func formatOf(file string) (f format, ok bool) {
	base := path.Base(file)
	switch {
	case base == "go.mod":
		return format{kind: Go, read: lines(goLine)}, true
	case base == "Cargo.lock":
		return format{kind: Rust, read: lockTables}, true
	case base == "poetry.lock", base == "uv.lock":
		return format{kind: Python, read: lockTables}, true
	case base == "package-lock.json":
		return format{kind: Node, read: packageLock}, true
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return format{kind: Python, read: lines(pinned)}, true
	case base == "gradle.lockfile":
		return format{kind: Java, read: lines(gradle)}, true
	case base == "pom.xml":
		return format{kind: Java, read: pom}, true
	case file == "debian/control" || strings.HasSuffix(file, "/debian/control"):
		return format{kind: Debian, read: lines(control), only: control}, true
	case base == "Dockerfile", base == "Containerfile", strings.HasPrefix(base, "Dockerfile."), strings.HasSuffix(base, ".Dockerfile"):
		return format{kind: Debian, read: lines(installed), only: installed}, true
	}
	return format{}, false
}

// manifests name dependencies beside the files of versions: a change of them counts as
// raised versions where only digits differ.
var manifests = []string{"go.sum", "Cargo.toml", "package.json", "pyproject.toml", "build.gradle", "build.gradle.kts", "libs.versions.toml"}

// Names says whether a change of a file can be one of versions alone, as far as its name
// tells.
func Names(file string) bool {
	_, ok := formatOf(file)
	return ok || slices.Contains(manifests, path.Base(file))
}

var (
	goLine = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d[^\s]*)`)
	pinned = regexp.MustCompile(`(?m)^\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*==\s*([^\s;#\\]+)`)
	gradle = regexp.MustCompile(`(?m)^([\w.-]+:[\w.-]+):([^=\s]+)=`)
	table  = regexp.MustCompile(`(?m)^\[\[package\]\]\s*\nname = "([^"]+)"\s*\nversion = "([^"]+)"`)
	depend = regexp.MustCompile(`(?s)<dependency>(.*?)</dependency>`)
	field  = regexp.MustCompile(`<(groupId|artifactId|version)>\s*([^<\s]+)\s*</`)
	digits = regexp.MustCompile(`\d+`)
	// Values of the properties of a pom.xml, which versions name as ${...}.
	properties = regexp.MustCompile(`(?s)<properties>(.*?)</properties>`)
	property   = regexp.MustCompile(`<([\w.-]+)>\s*([^<\s]+)\s*</`)
	named      = regexp.MustCompile(`\$\{([\w.-]+)\}`)
	// Packages of Debian: of a control file, and those that a Dockerfile installs with
	// apt-get install NAME=VERSION. Their names have no capitals.
	control   = regexp.MustCompile(`([a-z0-9][a-z0-9+.-]+)(?::\w+)? \((?:>=|=|>>) ([^)\s]+)\)`)
	installed = regexp.MustCompile(`(?m)(?:^|[ \t])([a-z0-9][a-z0-9+.-]+)=(\d[^\s;&|\\"']*)`)
	// replaced are directives of go.mod that take other code than the version's.
	replaced = regexp.MustCompile(`(?m)^.*=>.*$`)
)

func lines(form *regexp.Regexp) func([]byte) map[string]string {
	return func(text []byte) map[string]string {
		out := map[string]string{}
		for _, m := range form.FindAllSubmatch(text, -1) {
			out[string(m[1])] = string(m[2])
		}
		return out
	}
}

// lockTables reads [[package]] tables, which all tools write with name and version first.
// A package may be there in several versions.
func lockTables(text []byte) map[string]string {
	out := map[string]string{}
	for _, m := range table.FindAllSubmatch(text, -1) {
		name, version := string(m[1]), string(m[2])
		if was := out[name]; was != "" {
			version = was + ", " + version
		}
		out[name] = version
	}
	return out
}

func packageLock(text []byte) map[string]string {
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if json.Unmarshal(text, &lock) != nil {
		return nil
	}
	out := map[string]string{}
	for place, p := range lock.Packages {
		if i := strings.LastIndex(place, "node_modules/"); i >= 0 {
			out[place[i+len("node_modules/"):]] = p.Version
		}
	}
	return out
}

func pom(text []byte) map[string]string {
	out, values := map[string]string{}, map[string]string{}
	for _, block := range properties.FindAllSubmatch(text, -1) {
		for _, m := range property.FindAllSubmatch(block[1], -1) {
			values[string(m[1])] = string(m[2])
		}
	}
	value := func(text string) string {
		return named.ReplaceAllStringFunc(text, func(name string) string {
			if v := values[name[2:len(name)-1]]; v != "" {
				return v
			}
			return name
		})
	}
	for _, d := range depend.FindAllSubmatch(text, -1) {
		f := map[string]string{}
		for _, m := range field.FindAllSubmatch(d[1], -1) {
			f[string(m[1])] = string(m[2])
		}
		out[f["groupId"]+":"+f["artifactId"]] = value(f["version"])
	}
	return out
}

// Of are the packages whose versions differ between the texts of a file. ok is false where
// the file differs in something else, too.
func Of(file string, before, after []byte) (list []Raised, ok bool) {
	f, known := formatOf(file)
	if !known {
		return nil, slices.Contains(manifests, path.Base(file)) && (path.Base(file) == "go.sum" || sameButDigits(before, after))
	}
	was, is := f.read(before), f.read(after)
	for name, to := range is {
		if from := was[name]; from != to {
			list = append(list, Raised{name, from, to, f.kind})
		}
	}
	for name, from := range was {
		if _, there := is[name]; !there {
			list = append(list, Raised{name, from, "", f.kind})
		}
	}
	slices.SortFunc(list, func(a, b Raised) int { return cmp.Compare(a.Name, b.Name) })
	if f.only != nil && without(f.only, before) != without(f.only, after) {
		return list, false
	}
	if len(list) == 0 || f.kind == Go && !slices.Equal(replaced.FindAllString(string(before), -1), replaced.FindAllString(string(after), -1)) {
		return list, false
	}
	return list, true
}

// without is a text without the versions that a form finds.
func without(form *regexp.Regexp, text []byte) string {
	var out strings.Builder
	at := 0
	for _, m := range form.FindAllSubmatchIndex(text, -1) {
		out.Write(text[at:m[4]])
		at = m[5]
	}
	out.Write(text[at:])
	return out.String()
}

func sameButDigits(a, b []byte) bool {
	return string(digits.ReplaceAll(a, []byte("0"))) == string(digits.ReplaceAll(b, []byte("0")))
}

// Code says whether a function is a package's: by its name, its source file and the file
// that it was loaded from.
func (r *Raised) Code(function, source, binary string) bool {
	in := func(part string) bool { return strings.Contains(source, part) || strings.Contains(binary, part) }
	switch r.Kind {
	case Go:
		return strings.HasPrefix(function, r.Name+".") || strings.HasPrefix(function, r.Name+"/") || strings.Contains(source, "/"+r.Name+"@")
	case Rust:
		crate := strings.ReplaceAll(r.Name, "-", "_")
		return strings.HasPrefix(function, crate+"::") || strings.HasPrefix(function, "<"+crate+"::") || r.To != "" && in("/"+r.Name+"-"+r.To+"/") || r.From != "" && in("/"+r.Name+"-"+r.From+"/")
	case Python:
		name := strings.ToLower(strings.ReplaceAll(r.Name, "-", "_"))
		low := func(text string) bool {
			t := strings.ToLower(text)
			return strings.Contains(t, "-packages/"+name+"/") || strings.Contains(t, "-packages/"+name+".")
		}
		return low(source) || low(binary)
	case Node:
		return in("node_modules/" + r.Name + "/")
	case Java:
		group, _, _ := strings.Cut(r.Name, ":")
		return strings.HasPrefix(function, group+".")
	case Debian:
		if module, ok := strings.CutPrefix(r.Name, "python3-"); ok {
			return (&Raised{Name: module, Kind: Python}).Code(function, source, binary)
		}
		return binary != "" && slices.Contains(debianNames(path.Base(binary)), strings.TrimSuffix(r.Name, "t64"))
	}
	return false
}

// debianNames are what Debian calls the package of a file by its policy: of a library its
// name with the version of its interface, of a program its own name.
func debianNames(file string) []string {
	name, version, ok := strings.Cut(file, ".so.")
	if !ok {
		return []string{file}
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	major, _, _ := strings.Cut(version, ".")
	out := []string{name + major, name + "-" + major, name + version, name + "-" + version}
	if name == "libz" { // older than the policy
		out = append(out, "zlib1g")
	}
	return out
}
