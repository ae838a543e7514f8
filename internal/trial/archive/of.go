package archive

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// Of is the record of a trial of one command. The programs of the plan are looked
// at now: what was built for the trial has to be there still.
func Of(o *trial.Outcome, p *trial.Plan) *Record {
	r := &Record{
		Command: o.Command, Machine: o.Machine, Metric: o.Metric, Stopped: o.Stopped, Seed: o.Seed,
		Results: Results(o), Outcome: o,
	}
	r.Files = Command("baseline", p.Command, p.Env, p.Dir)
	for i := range p.Variants {
		v := &p.Variants[i]
		switch {
		case v.Built != nil:
			r.Files = append(r.Files, Command(v.Name, p.Command[:1], v.Environ(p.Env), v.Built.Dir)...)
		case v.Command != nil:
			r.Files = append(r.Files, Command(v.Name, v.Command, v.Environ(p.Env), cmp.Or(v.Dir, p.Dir))...)
		case v.Dir != "":
			r.Files = append(r.Files, Command(v.Name, p.Command, v.Environ(p.Env), v.Dir)...)
		}
		if v.Preload != nil {
			if file, ok := Fingerprint("library "+v.Preload.Name, v.Preload.Path); ok {
				r.Files = append(r.Files, file)
			}
		}
	}
	return r
}

// OfSuite is the record of a suite that was read from a file and ran in this
// environment.
func OfSuite(s *suite.Result, path string, env []string) *Record {
	r := &Record{Command: []string{s.Name}, Machine: s.Machine, Stopped: s.Stopped, Seed: s.Seed, Outcome: s}
	if file, ok := Fingerprint("suite", path); ok {
		r.Files = append(r.Files, file)
	}
	for i := range s.Benchmarks {
		if o := s.Benchmarks[i].Outcome; o != nil {
			r.Files = append(r.Files, Command(s.Benchmarks[i].Name, o.Command, env, o.Directory)...)
		}
	}
	for i := range s.Summary {
		sum := &s.Summary[i]
		result := Result{Variant: sum.Variant, Verdict: sum.Verdict, Caveat: sum.Caveat()}
		if sum.GeoMean.Known() {
			result.Ratio = sum.GeoMean.Interval()
		}
		r.Results = append(r.Results, result)
	}
	return r
}

const stdinRole = "standard input"

// StandardInput gives a trial that repeats was, nil for none, the input of the
// first one where path holds none, and describes what the input is, nil for none.
// What came through a pipe is not kept and has to come again.
func StandardInput(was *Record, path string) (again string, described *File, err error) {
	var before *File
	if was != nil {
		if i := slices.IndexFunc(was.Files, func(f File) bool { return f.Role == stdinRole }); i >= 0 {
			before = &was.Files[i]
		}
	}
	if info, err := os.Stat(path); path != "" && err == nil && info.Size() == 0 && before != nil {
		path = "" // an empty pipe, as jobs without a terminal have it, gives nothing
	}
	if path == "" && before != nil && before.Size > 0 {
		if before.Path == "" {
			return "", nil, fmt.Errorf("the trial read %d bytes from a pipe, which are not kept: give them again, as in: ... | whyhot try again %s", before.Size, was.ID)
		}
		path = before.Path
		if _, err := os.Stat(path); err != nil {
			return "", nil, fmt.Errorf("standard input of the trial: %w", err)
		}
	}
	if path == "" {
		return "", nil, nil
	}
	file, ok := Fingerprint(stdinRole, path)
	if !ok || file.Size == 0 {
		return path, nil, nil
	}
	file.Path = ""
	// The name of what was redirected; what was spooled has none any more.
	if name, err := os.Readlink(path); err == nil && !strings.HasSuffix(name, "(deleted)") {
		file.Path = name
	} else if err != nil {
		file.Path = path
	}
	return path, &file, nil
}
