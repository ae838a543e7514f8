package label

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"service", "version", "host", "container", "process", "pod", "region", "(none)"}
	for name, want := range map[string]string{
		"servce": "service", "srevice": "service", "Service": "service", "verzion": "version", "hots": "host", "pods": "pod", "por": "pod", "contaner": "container",
		"nolabel": "", "x": "", "": "", "hh": "", "service": "",
	} {
		if got, ok := Closest(name, names); got != want || ok != (want != "") {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	err := &UnknownError{Key: "servce", Known: []string{"service", "host"}}
	if got, want := err.Error(), `unknown label "servce": did you mean service? this project has service, host`; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	err = &UnknownError{Key: "zzz", Known: make([]string, 40)}
	if got := err.Error(); len(got) > 150 {
		t.Errorf("%s", got)
	}
}
