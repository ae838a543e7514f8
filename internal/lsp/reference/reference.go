// Package reference decides which text the lines of a profile are of: that of the source
// file when the program was built.
//
// It owns the order of proofs. The first that decides counts:
//
//  1. the sum of the file in the binary's debug information (DWARF 5, clang): the file on
//     disk or a version of it in git that has this sum, and no other;
//  2. the file on disk, where it is older than the binary, or, of a program without one,
//     older than the recording;
//  3. the commit in a Go binary whose tree was unmodified;
//  4. the version in git as it was at the time of the binary (or the recording), where
//     every function of the profile begins on a line that names it.
//
// Where none decides there is no text, and a reason. It takes a profile's functions of a
// file, and runs git to read, never to write. Of this module it imports elfinfo, profile
// and host.
package reference

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // DWARF has no other
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
)

// Text is the text of a file that a profile is of.
type Text struct {
	Text string
	How  string // by which it is known
}

// Finder finds texts for one profile.
type Finder struct {
	Profile *profile.Profile

	mu       sync.Mutex
	binaries map[profile.MappingID]*binary
}

// binary is what is known of the program that a file was compiled into.
type binary struct {
	built    time.Time // zero where the file is not here, or is another build
	sums     map[string]string
	revision string // of an unmodified tree
	why      string // nothing is known
}

// Find gives the text of the file at a path of this machine, to which functions of the
// profile belong, all with the same File. The error says why there is none.
func (f *Finder) Find(ctx context.Context, onDisk string, functions []profile.FunctionID) (Text, error) {
	if len(functions) == 0 {
		return Text{}, fmt.Errorf("%s: the profile has no function of it", onDisk)
	}
	info, err := os.Stat(onDisk)
	if err != nil {
		return Text{}, err
	}
	data, err := os.ReadFile(onDisk)
	if err != nil {
		return Text{}, err
	}
	// A header may be in several binaries: what holds for one has to hold for all.
	var found Text
	seen := map[profile.MappingID]bool{}
	for _, id := range functions {
		fn := f.Profile.Function(id)
		if seen[fn.Mapping] {
			continue
		}
		seen[fn.Mapping] = true
		t, err := f.of(ctx, fn, onDisk, info.ModTime(), data, functions)
		if err != nil {
			return Text{}, err
		}
		if found.How != "" && found.Text != t.Text {
			return Text{}, fmt.Errorf("%s: binaries of the profile were built from different texts of it", onDisk)
		}
		found = t
	}
	return found, nil
}

func (f *Finder) of(ctx context.Context, fn *profile.Function, onDisk string, changed time.Time, data []byte, functions []profile.FunctionID) (Text, error) {
	b := f.binary(fn.Mapping)
	if want := b.sumOf(fn.File); want != "" {
		if sumOf(data) == want {
			return Text{string(data), "the sum in the debug information"}, nil
		}
		if text, ok := versions(ctx, onDisk, func(text []byte) bool { return sumOf(text) == want }); ok {
			return Text{text, "the sum in the debug information, in git"}, nil
		}
		return Text{}, fmt.Errorf("%s is not what was compiled (its MD5 in the debug information is %s), and no version in git is", onDisk, want)
	}
	at, what := b.built, "the binary"
	if at.IsZero() && fn.Kind.IsScript() {
		at, what = f.Profile.Meta.Start, "the recording"
	}
	if !at.IsZero() && changed.Before(at) && f.begins(string(data), functions) != no {
		return Text{string(data), "it is older than " + what}, nil
	}
	if b.revision != "" {
		if text, err := show(ctx, onDisk, b.revision); err == nil && f.begins(text, functions) != no {
			return Text{text, "the commit in the binary"}, nil
		}
	}
	if at.IsZero() {
		at = f.Profile.Meta.Start
	}
	if !at.IsZero() {
		if text, err := asOf(ctx, onDisk, at); err == nil && f.begins(text, functions) == yes {
			return Text{text, "its version in git at that time"}, nil
		}
	}
	why := b.why
	if why == "" {
		why = "it was changed since, and git has no version of that time that fits"
	}
	return Text{}, fmt.Errorf("%s: nobody knows whether this is the text that was profiled: %s", onDisk, why)
}

func sumOf(data []byte) string {
	sum := md5.Sum(data) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// sumOf is the sum of a file as the debug information names it.
func (b *binary) sumOf(file string) string {
	if sum, ok := b.sums[path.Clean(file)]; ok {
		return sum
	}
	return ""
}

// binary reads what a mapping's file says, once.
func (f *Finder) binary(id profile.MappingID) *binary {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b, ok := f.binaries[id]; ok {
		return b
	}
	b := f.read(f.Profile.Mapping(id))
	if f.binaries == nil {
		f.binaries = map[profile.MappingID]*binary{}
	}
	f.binaries[id] = b
	return b
}

func (f *Finder) read(m *profile.Mapping) *binary {
	b := &binary{}
	bin, err := elffile.Open(m.Path)
	if err != nil {
		b.why = "the binary " + m.Path + " is not here"
		return b
	}
	defer bin.Close() //nolint:errcheck // only read from
	info, err := os.Stat(m.Path)
	switch {
	case err != nil:
		b.why = err.Error()
		return b
	case m.BuildID != "" && bin.BuildID() != m.BuildID:
		b.why = m.Path + " was built again since"
		return b
	case m.BuildID == "" && !f.Profile.Meta.Start.IsZero() && info.ModTime().After(f.Profile.Meta.Start):
		b.why = m.Path + " is newer than the recording, and has no build ID"
		return b
	case m.BuildID == "" && f.Profile.Meta.Start.IsZero():
		b.why = "the profile says neither which build it is of nor when it was recorded"
		return b
	}
	b.built = info.ModTime()
	b.revision = revisionOf(m.Path)
	debug := bin
	if !bin.HasData(".debug_line") {
		if found, err := (debugfile.Finder{}).Debug(bin); err == nil {
			debug = found
			defer found.Close() //nolint:errcheck // only read from
		}
	}
	// Damage costs the sums alone.
	_ = elffile.Guard(m.Path, func() error {
		if d, _ := dwarf.Open(debug, nil, nil); d != nil {
			b.sums = d.Sums()
		}
		return nil
	})
	return b
}

// revisionOf is the commit that a Go program was built from, "" where its tree had
// changes.
func revisionOf(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return ""
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value
		}
	}
	if modified != "false" {
		return ""
	}
	return revision
}

type answer int

const (
	unknown answer = iota
	no
	yes
)

// begins says whether functions begin in a text where the profile says so.
func (f *Finder) begins(text string, functions []profile.FunctionID) answer {
	lines := strings.Split(text, "\n")
	out := unknown
	for _, id := range functions {
		fn := f.Profile.Function(id)
		name := baseName(fn.Name)
		if fn.StartLine <= 0 || name == "" {
			continue
		}
		// The return type may be on the line before, attributes too, and the name of a
		// function after them.
		const around = 3
		from, to := max(0, int(fn.StartLine)-around), min(len(lines), int(fn.StartLine)+around)
		if from >= to || !strings.Contains(strings.Join(lines[from:to], "\n"), name) {
			return no
		}
		out = yes
	}
	return out
}

// baseName is the name that the source has, "" where the source has none (a lambda, an
// operator, a template's argument).
func baseName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, "<")
	if i := strings.LastIndexAny(name, ":. "); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimPrefix(name, "~")
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return ""
		}
	}
	// Go names function literals by number: func1.
	if rest, ok := strings.CutPrefix(name, "func"); ok && strings.Trim(rest, "0123456789") == "" || name == "operator" {
		return ""
	}
	return name
}

// git runs git in the directory of a file.
func git(ctx context.Context, file string, args ...string) ([]byte, error) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", filepath.Dir(file), "--no-optional-locks"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	return cmd.Output()
}

// show gives a file as a commit has it.
func show(ctx context.Context, file, revision string) (string, error) {
	out, err := git(ctx, file, "show", "--no-textconv", revision+":./"+filepath.Base(file))
	return string(out), err
}

// asOf gives a file as it was at a time on the way to what is checked out.
func asOf(ctx context.Context, file string, at time.Time) (string, error) {
	out, err := git(ctx, file, "rev-list", "-1", "--first-parent", "--before="+at.UTC().Format(time.RFC3339), "HEAD")
	if err != nil {
		return "", err
	}
	revision := string(bytes.TrimSpace(out))
	if revision == "" {
		return "", fmt.Errorf("%s: git knows nothing that old", file)
	}
	return show(ctx, file, revision)
}

// mostVersions is how many versions of a file are looked at for a sum.
const mostVersions = 50

// versions looks for a version of a file in git, the newest first.
func versions(ctx context.Context, file string, is func([]byte) bool) (string, bool) {
	out, err := git(ctx, file, "log", "--format=%H", fmt.Sprintf("-%d", mostVersions), "--", filepath.Base(file))
	if err != nil {
		return "", false
	}
	for revision := range strings.FieldsSeq(string(out)) {
		if text, err := show(ctx, file, revision); err == nil && is([]byte(text)) {
			return text, true
		}
	}
	return "", false
}
