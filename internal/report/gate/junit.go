package gate

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"whyhot/internal/check"
	"whyhot/internal/finding"
)

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   suite    `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Time     string     `xml:"time,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *outcome `xml:"failure,omitempty"`
	Skipped *outcome `xml:"skipped,omitempty"`
	Out     string   `xml:"system-out,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test for each command: one that is slower fails, one that is undecided is
// skipped.
func JUnit(w io.Writer, r *check.Result) error {
	list := r.Commands
	if len(list) == 0 {
		list = []check.Command{{Name: "static", Verdict: r.Verdict, Says: r.Says}}
	}
	s := suite{Name: "whyhot check", Tests: len(list), Time: strconv.FormatFloat(r.Elapsed, 'f', 1, 64)}
	for i := range list {
		k := &list[i]
		c := testCase{Class: "whyhot.check", Name: k.Name, Out: k.Says}
		if k.OutputDiffers != "" {
			c.Out += "\nthe output differs from the base's: " + k.OutputDiffers
		}
		switch k.Verdict {
		case check.Slower:
			s.Failures++
			c.Failure = &outcome{Message: k.Says, Text: details(r)}
		case check.Undecided:
			s.Skipped++
			c.Skipped = &outcome{Message: k.Says}
		case check.NotSlower, check.Identical:
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suites{Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// details say why it is slower.
func details(r *check.Result) string {
	var b strings.Builder
	for i := range r.Functions {
		if i == mostFunctions {
			break
		}
		b.WriteString(grown(&r.Functions[i]) + "\n")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		b.WriteString(finding.Line{File: f.Place.File, Line: f.Place.Line}.String() + ": " + message(f) + "\n")
	}
	return b.String()
}
