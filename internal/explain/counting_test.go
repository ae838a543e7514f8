package explain

import (
	"testing"

	"whyhot/internal/profile"
)

// The command that counts calls is named where a recording has a command, functions of a language
// that can be counted, and no counts.
func TestCounting(t *testing.T) {
	for name, x := range map[string]struct {
		kind profile.Kind
		path string
		meta profile.Meta
		want string
	}{
		"a script":        {profile.KindPython, "p.pb.gz", profile.Meta{Recorded: true, Command: []string{"./job", "a b"}}, "whyhot count --calls --profile p.pb.gz -- ./job 'a b'"},
		"machine code":    {profile.KindNative, "p.pb.gz", profile.Meta{Recorded: true, Command: []string{"./job"}}, ""},
		"another's file":  {profile.KindPython, "p.pb.gz", profile.Meta{Command: []string{"./job"}}, ""},
		"no command":      {profile.KindPython, "p.pb.gz", profile.Meta{Recorded: true}, ""},
		"counted already": {profile.KindPython, "p.pb.gz", profile.Meta{Recorded: true, Command: []string{"./job"}, Functions: []profile.FunctionCalls{{Name: "f", Count: 1}}}, ""},
	} {
		b := profile.NewBuilder()
		id := b.Function(profile.Function{Name: "f", File: "/home/me/job", Kind: x.kind})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(0, 0, x.kind, profile.Line{Function: id, Line: 1})}), Count: 1, Value: 1})
		c, ok := Request{Profile: b.Build(x.meta), Path: x.path}.counting()
		if ok != (x.want != "") || ok && c.String() != x.want {
			t.Errorf("%s: %v %q", name, ok, c.String())
		}
	}
}
