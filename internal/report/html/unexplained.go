package html

import (
	"path/filepath"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// unexplained is a function that no finding is about, made ready to print.
type unexplained struct {
	finding.Unexplained

	Where, Share string

	Lines, Callers []hotLine
}

type hotLine struct {
	finding.HotLine

	At string // the file's name and the line
}

func newUnexplained(u *finding.Unexplained) unexplained {
	out := unexplained{Unexplained: *u, Where: where(&u.Place), Share: percent.Column(u.Share.Main())}
	if u.Into != nil {
		out.Where = finding.Line{File: filepath.Base(u.Place.File), Line: u.Place.Line}.String() + " → " + where(u.Into)
	}
	if u.Share.Error != nil {
		out.Share += " " + percent.Error(*u.Share.Error)
	}
	out.Lines, out.Callers = hotLines(u.Lines), hotLines(u.Callers)
	return out
}

func hotLines(lines []finding.HotLine) (out []hotLine) {
	for _, l := range lines {
		l.Text = strings.TrimSpace(strings.ReplaceAll(l.Text, "\t", "    "))
		out = append(out, hotLine{l, finding.Line{File: filepath.Base(l.File), Line: l.Line}.String()})
	}
	return out
}
