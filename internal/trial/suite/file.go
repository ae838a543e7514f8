package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"whyhot/internal/host/shellwords"
)

// File is a suite as it is written.
type File struct {
	Name       string      `yaml:"name"`
	Defaults   Settings    `yaml:"defaults"`
	Set        Assignments `yaml:"set"`
	Benchmarks []Benchmark `yaml:"benchmarks"`
	Variants   []Change    `yaml:"variants"`
	Steps      []Change    `yaml:"steps"`

	Dir string `yaml:"-"` // of the file, which relative paths start from
}

// Settings are what benchmarks have in common unless they say otherwise.
type Settings struct {
	Dir            string      `yaml:"dir"`
	Env            Assignments `yaml:"env"`
	Setup          string      `yaml:"setup"` // a shell command, run once before the benchmark
	Metric         string      `yaml:"metric"`
	MetricRegex    string      `yaml:"metric-regex"`
	Unit           string      `yaml:"unit"`
	HigherIsBetter *bool       `yaml:"higher-is-better"`
	Runs           int         `yaml:"runs"`
	WarmUp         int         `yaml:"warm-up"`
	Timeout        Duration    `yaml:"timeout"`
	Ignore         Strings     `yaml:"ignore"`
	IgnoreFailure  *bool       `yaml:"ignore-failure"`
}

// Benchmark is one command of a suite.
type Benchmark struct {
	Name    string  `yaml:"name"`
	Command Words   `yaml:"command"`
	Stdin   string  `yaml:"stdin"`  // file
	Output  Strings `yaml:"output"` // files to compare

	Settings `yaml:",inline"`
}

// Change is a variant of the whole suite, or a step that adds to those before.
type Change struct {
	Name    string      `yaml:"name"`
	Preload string      `yaml:"preload"`
	Build   string      `yaml:"build"` // what --variant takes: pgo+lto
	Env     Assignments `yaml:"env"`
	Set     Assignments `yaml:"set"`
}

// Assignments are names and values.
type Assignments map[string]string

// UnmarshalYAML takes numbers and truth values as they are written.
func (a *Assignments) UnmarshalYAML(data []byte) error {
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return err
	}
	*a = Assignments{}
	for k, v := range raw {
		switch v.(type) {
		case map[string]any, []any, nil:
			return fmt.Errorf("%s: must be one value, quoted where it is empty", k)
		}
		(*a)[k] = fmt.Sprint(v)
	}
	return nil
}

// Words is a command: a line that is split as a shell splits it, or a list.
type Words []string

// UnmarshalYAML reads either form.
func (w *Words) UnmarshalYAML(data []byte) error {
	var list []string
	if err := yaml.Unmarshal(data, &list); err == nil {
		*w = list
		return nil
	}
	var line string
	if err := yaml.Unmarshal(data, &line); err != nil {
		return errors.New("must be a command line or a list of words")
	}
	words, err := shellwords.Split(line)
	if err != nil {
		return fmt.Errorf("command %q: %w", line, err)
	}
	*w = words
	return nil
}

// Strings is a list, or one string.
type Strings []string

// UnmarshalYAML reads either form.
func (s *Strings) UnmarshalYAML(data []byte) error {
	var list []string
	if err := yaml.Unmarshal(data, &list); err == nil {
		*s = list
		return nil
	}
	var one string
	if err := yaml.Unmarshal(data, &one); err != nil {
		return errors.New("must be a string or a list of strings")
	}
	*s = Strings{one}
	return nil
}

// Duration is a time such as 90s or 2m.
type Duration time.Duration

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(data []byte) error {
	var text string
	if err := yaml.Unmarshal(data, &text); err != nil {
		return errors.New("must be a time such as 90s or 2m")
	}
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is not a time such as 90s or 2m", text)
	}
	*d = Duration(v)
	return nil
}

// Load reads and checks a suite file; "-" is stdin, whose paths start from the
// current directory.
func Load(path string, stdin io.Reader) (*File, error) {
	read := os.ReadFile
	if path == "-" {
		read, path = func(string) ([]byte, error) { return io.ReadAll(stdin) }, "suite"
	}
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("suite: %w", err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", path, err)
	}
	f.Dir = filepath.Dir(path)
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return f, nil
}

// Parse reads the text of a suite file.
func Parse(data []byte) (*File, error) {
	var f File
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	return &f, nil
}

// decode reads YAML. The library panics on some malformed documents (a tag
// without a type before a mapping, for one), which are errors here.
func decode(data []byte, f *File) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not a YAML document that can be read: %v", p)
		}
	}()
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(f); err != nil {
		return errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return nil
}

func (f *File) check() error {
	if len(f.Benchmarks) == 0 {
		return errors.New("no benchmarks: list them under benchmarks:, each with a name and a command")
	}
	var names []string
	for i := range f.Benchmarks {
		b := &f.Benchmarks[i]
		if len(b.Command) == 0 || b.Command[0] == "" {
			return fmt.Errorf("benchmark %d (%q) has no command", i+1, b.Name)
		}
		if b.Name == "" {
			b.Name = strings.Join(b.Command, " ")
		}
		if slices.Contains(names, b.Name) {
			return fmt.Errorf("two benchmarks are called %q", b.Name)
		}
		names = append(names, b.Name)
		if b.Runs < 0 || b.WarmUp < 0 {
			return fmt.Errorf("benchmark %q: runs and warm-up cannot be negative", b.Name)
		}
	}
	if len(f.Variants) > 0 && len(f.Steps) > 0 {
		return errors.New("variants and steps exclude each other: a step adds to the step before, a variant to the baseline")
	}
	for i, c := range slices.Concat(f.Variants, f.Steps) {
		if err := f.checkChange(i, &c); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) checkChange(i int, c *Change) error {
	if c.Name == "" {
		return fmt.Errorf("variant or step %d has no name", i+1)
	}
	if c.Preload == "" && c.Build == "" && len(c.Env) == 0 && len(c.Set) == 0 {
		return fmt.Errorf("%q changes nothing: give it preload, build, env or set", c.Name)
	}
	if _, err := c.build(""); err != nil {
		return fmt.Errorf("%q: build: %w", c.Name, err)
	}
	for name := range c.Set {
		if _, ok := f.Set[name]; !ok {
			return fmt.Errorf("%q sets %s, which has no value for the baseline: add it to the file's own set", c.Name, name)
		}
	}
	return nil
}

// filled is a benchmark with the defaults where it says nothing itself.
func (f *File) filled(b Benchmark) Benchmark {
	d := f.Defaults
	first := func(own *string, otherwise string) {
		if *own == "" {
			*own = otherwise
		}
	}
	first(&b.Dir, d.Dir)
	first(&b.Setup, d.Setup)
	if b.MetricRegex == "" && b.Metric == "" {
		b.MetricRegex, b.Metric = d.MetricRegex, d.Metric
	}
	first(&b.Unit, d.Unit)
	if b.HigherIsBetter == nil {
		b.HigherIsBetter = d.HigherIsBetter
	}
	if b.IgnoreFailure == nil {
		b.IgnoreFailure = d.IgnoreFailure
	}
	if b.Runs == 0 {
		b.Runs = d.Runs
	}
	if b.WarmUp == 0 {
		b.WarmUp = d.WarmUp
	}
	if b.Timeout == 0 {
		b.Timeout = d.Timeout
	}
	b.Ignore = slices.Concat(d.Ignore, b.Ignore)
	env := Assignments{}
	for _, more := range []Assignments{d.Env, b.Env} {
		maps.Copy(env, more)
	}
	b.Env = env
	return b
}

// substitute puts values in the place of {name}. Braces around other names stay.
func substitute(text string, set Assignments) string {
	pairs := make([]string, 0, 2*len(set))
	for k, v := range set {
		pairs = append(pairs, "{"+k+"}", v)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// substituteAll does so in every word. A word that is a name in braces and
// nothing else becomes as many words as its value has.
func substituteAll(words []string, set Assignments) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, "{"); ok && strings.HasSuffix(name, "}") {
			if value, ok := set[strings.TrimSuffix(name, "}")]; ok {
				if split, err := shellwords.Split(value); err == nil {
					out = append(out, split...)
					continue
				}
			}
		}
		out = append(out, substitute(w, set))
	}
	return out
}
