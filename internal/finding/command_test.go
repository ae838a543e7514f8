package finding

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestACommandIsWrittenForAShell(t *testing.T) {
	for want, c := range map[string]Command{
		"": {},
		"whyhot try --profile 'a b' --versus 'changed=app -- x' -- app 'it'\\''s'": {Verb: "try", Args: []string{"--profile", "a b", "--versus", "changed=app -- x"}, Program: []string{"app", "it's"}},
		"whyhot try build --build '<your build command>' -- <your command>":        {Verb: "try build", Args: []string{"--build", YourBuild}, Program: []string{YourCommand}},
		"whyhot grow --sizes N,2N,4N -- <your command with {n} for the size>":      {Verb: "grow", Args: []string{"--sizes", "N,2N,4N"}, Program: []string{"<your command with {n} for the size>"}},
		"whyhot loops p.pb.gz --match '^f$'":                                       {Verb: "loops", Args: []string{"p.pb.gz", "--match", "^f$"}},
	} {
		if got := c.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back Command
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s: read back as %+v, %v", want, back, err)
		}
	}
}

func TestAFindingWithoutACommandHasNone(t *testing.T) {
	text, err := json.Marshal(Finding{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil || fields["next"] != nil || fields["see"] != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	for _, text := range []string{`"rm -rf /"`, `"whyhot"`, `"whyhot try 'open"`} {
		var c Command
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s: read as %+v", text, c)
		}
	}
}

func TestPartsOfACommand(t *testing.T) {
	c := Command{Verb: "try", Args: []string{"--profile", "p", "--rules", "own", "--finding", "a-1"}, Program: []string{"app"}}
	if got := c.Without("--profile", "--rules").With("--to", URL).At("https://w").String(); got != "whyhot try --finding a-1 --to https://w -- app" {
		t.Error(got)
	}
	if !c.Has("--rules") || c.Has("own2") || !c.Tries() {
		t.Error("what it has is not told")
	}
	if got := c.String(); got != "whyhot try --profile p --rules own --finding a-1 -- app" {
		t.Errorf("the command itself was changed: %s", got)
	}
}
