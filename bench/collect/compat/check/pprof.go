package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// readProfiles tallies the pprof files in a directory.
func readProfiles(dir string) (*tally, error) {
	t := newTally()
	paths, err := filepath.Glob(filepath.Join(dir, "*.pb.gz"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := t.file(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return t, nil
}

func (t *tally) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return err
	}
	t.files++
	period := p.PeriodType
	if period == nil {
		period = &profile.ValueType{}
	}
	t.periods[fmt.Sprintf("%s/%s %d", period.Type, period.Unit, p.Period)] = true
	for _, c := range p.Comments {
		if n, ok := strings.CutPrefix(c, "whyhot:lost "); ok {
			lost, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return err
			}
			t.lost += lost
		}
	}
	for _, s := range p.Sample {
		labels := map[string]string{}
		for k, v := range s.Label {
			labels[k] = strings.Join(v, ",")
		}
		for k, v := range s.NumLabel {
			labels[k] = strconv.FormatInt(v[0], 10)
		}
		var frames []frame
		for _, l := range s.Location {
			frames = append(frames, framesOf(l)...)
		}
		t.add(labels, frames, s.Value[0], s.Value[len(s.Value)-1])
	}
	return nil
}

func framesOf(l *profile.Location) []frame {
	base := frame{offset: l.Address}
	if m := l.Mapping; m != nil {
		base.binary, base.buildID = m.File, m.BuildID
		base.offset += m.Offset - m.Start
	}
	if len(l.Line) == 0 {
		return []frame{base}
	}
	var out []frame
	for _, line := range l.Line {
		f := base
		f.name, f.system, f.file, f.line = line.Function.Name, line.Function.SystemName, line.Function.Filename, line.Line
		out = append(out, f)
	}
	return out
}
