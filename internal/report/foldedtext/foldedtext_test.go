package foldedtext

import (
	"bytes"
	"testing"

	"whyhot/internal/profile"
)

func TestWrite(t *testing.T) {
	build := func(odd int64) *profile.Profile {
		b := profile.NewBuilder()
		app := b.Mapping(profile.Mapping{Path: "/bin/app"})
		kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
		at := func(m profile.MappingID, name string, addr uint64, k profile.Kind) profile.LocationID {
			f := b.Function(profile.Function{Name: name, Mapping: m, Kind: k})
			return b.Location(m, addr, k, profile.Line{Function: f})
		}
		run, again := at(app, "run;it", 1, profile.KindNative), at(app, "run;it", 2, profile.KindNative)
		sys, unnamed := at(kernel, "read", 3, profile.KindKernel), at(app, "", 4, profile.KindNative)
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: "a pp"}})
		add := func(n, value int64, leafFirst ...profile.LocationID) {
			b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Labels: labels, Count: n, Value: value})
		}
		add(2, 20, run)
		add(1, 10, again) // another address of the same function: one line
		add(3, 30+odd, sys, run)
		add(1, 10, unnamed, run)
		add(1, 10)
		return b.Build(profile.Meta{})
	}
	for _, test := range []struct {
		name string
		odd  int64
		opt  Options
		want string
	}{
		{"plain", 0, Options{}, "run:it 3\nrun:it;read 3\nrun:it;[app] 1\n[unknown] 1\n"},
		{
			"marks", 0, Options{Binaries: true, RootLabel: profile.LabelProcess},
			"a pp;run:it_[app] 3\na pp;run:it_[app];read_[k] 3\na pp;run:it_[app];[unknown]_[app] 1\na pp;[unknown] 1\n",
		},
		{"uneven weights", 1, Options{}, "run:it 30\nrun:it;read 31\nrun:it;[app] 10\n[unknown] 10\n"},
	} {
		var out bytes.Buffer
		if err := Write(&out, build(test.odd), test.opt); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, out.String(), test.want)
		}
	}
	var out bytes.Buffer
	if err := Write(&out, profile.NewBuilder().Build(profile.Meta{}), Options{}); err != nil || out.Len() > 0 {
		t.Errorf("empty profile: %q, %v", out.String(), err)
	}
}
