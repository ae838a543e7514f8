package catalog

import (
	"strings"
	"testing"
	"testing/fstest"
)

const goodTrial = `{"entry": "python-json", "workload": "records", "baseline": "json", "variant": "orjson 3.13.0", "date": "2026-11-22",
 "rounds": 7, "seconds": 0.5, "ratio": 2.5, "low": 2.25, "high": 2.75, "share": 0.8, "reach": 0.85}`

func TestTrialsAreShownOnTheirEntry(t *testing.T) {
	c := &Catalog{Entries: []Entry{{ID: "glibc-malloc"}, {ID: "python-json"}}}
	lost := strings.NewReplacer(`"ratio": 2.5, "low": 2.25, "high": 2.75`, `"ratio": 0.8, "low": 0.7, "high": 0.9`).Replace(goodTrial)
	if err := c.attachTrials(fstest.MapFS{trialsFile: {Data: []byte("[" + goodTrial + "," + lost + "]")}}); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(c.Entries[1].Measured(), "\n")
	for _, want := range []string{"2.50× (2.25× to 2.75×): orjson 3.13.0 instead of json", "80%", "(2026-11-22)", "0.80×, slower"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if s := c.Entries[1].Summary(); len(s.Trials) != 2 {
		t.Errorf("the summary has %d trials", len(s.Trials))
	}
	if said := c.Entries[0].Measured(); len(said) > 0 {
		t.Errorf("an entry without a trial says that something was measured: %q", said)
	}
}

func TestTrialsThatCannotBeMeantAreErrors(t *testing.T) {
	for name, change := range map[string][]string{
		"unknown entry":           {`"python-json"`, `"python-jsno"`},
		"ratio below interval":    {`"ratio": 2.5`, `"ratio": 1.5`},
		"no date":                 {`"2026-11-22"`, `"yesterday"`},
		"one round":               {`"rounds": 7`, `"rounds": 1`},
		"key that nobody reads":   {`"workload"`, `"work"`},
		"what was it compared to": {`"json", "variant"`, `"", "variant"`},
	} {
		c := &Catalog{Entries: []Entry{{ID: "python-json"}}}
		text := strings.NewReplacer(change...).Replace(goodTrial)
		if text == goodTrial {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := c.attachTrials(fstest.MapFS{trialsFile: {Data: []byte("[" + text + "]")}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Sixty entries at least rest on a trial of our own.
func TestEntriesAreMeasured(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for i := range c.Entries {
		if len(c.Entries[i].Trials) > 0 {
			measured++
		}
	}
	if measured < 60 {
		t.Errorf("%d entries have a trial, 60 are wanted", measured)
	}
}
