package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/environ"
)

// largest is the size up to which a file's content is hashed. A program is never
// so large, and reading more would take longer than many a trial.
const largest = 1 << 30

// Fingerprint describes a file; ok is false where there is none to read.
func Fingerprint(role, path string) (f File, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return File{}, false
	}
	f = File{Role: role, Path: path, Size: info.Size(), BuildID: elffile.BuildIDOf(path)}
	if absolute, err := filepath.Abs(path); err == nil {
		f.Path = absolute
	}
	if info.Size() <= largest {
		f.SHA256 = hash(path)
	}
	return f, true
}

func hash(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Command describes the program of a command line and the files among its
// arguments. dir is where it runs, "" for here, and env the environment in whose
// PATH the program is looked for.
func Command(arm string, words, env []string, dir string) []File {
	if len(words) == 0 {
		return nil
	}
	var out []File
	program := words[0]
	if found, err := environ.LookPath(env, dir, program); err == nil {
		program = found
	}
	if f, ok := Fingerprint("program of "+arm, environ.From(dir, program)); ok {
		out = append(out, f)
	}
	for i, w := range words[1:] {
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
			w = value // --input=FILE
		}
		if w == "" {
			continue
		}
		if f, ok := Fingerprint("argument "+strconv.Itoa(i+1)+" of "+arm, environ.From(dir, w)); ok {
			out = append(out, f)
		}
	}
	return out
}

// Environment picks from an environment what is kept.
func Environment(env []string) map[string]string {
	out := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if decides(name) {
			out[name] = value
		}
	}
	return out
}

// Restore gives an environment the variables of a record: what it had set is set as
// it was, and of the others that are kept none is. What has to change for that is in
// changed.
func Restore(env []string, was map[string]string) (restored, changed []string) {
	if was == nil {
		return env, nil
	}
	now := Environment(env)
	restored = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, kept := was[name]
		if decides(name) && !kept {
			changed = append(changed, "without "+name)
		}
		return decides(name)
	})
	for _, name := range slices.Sorted(maps.Keys(was)) {
		restored = append(restored, name+"="+was[name])
		if value, ok := now[name]; !ok || value != was[name] {
			changed = append(changed, name+"="+was[name])
		}
	}
	return restored, changed
}

// decides says that a variable is known to change how fast programs are. Only
// those are kept: the others may hold secrets.
func decides(name string) bool {
	names := []string{
		"PATH", "LANG", "TZ", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "RUSTFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CC", "CXX", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GODEBUG",
	}
	prefixes := []string{"LD_", "LC_", "MALLOC_", "GLIBC_", "OMP_", "KMP_", "MIMALLOC_", "TCMALLOC_", "PYTHON", "RAYON_", "MKL_", "OPENBLAS_"}
	return slices.Contains(names, name) || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
