package command

import "testing"

// The calls of a command are counted, with those of the children that it waits for.
func TestWhatACommandReadAndWrote(t *testing.T) {
	p, err := Start(Options{Args: []string{"/bin/sh", "-c", `i=0; while [ $i -lt 300 ]; do echo 1234567; i=$((i+1)); done > /dev/null; (i=0; while [ $i -lt 200 ]; do echo 1234567; i=$((i+1)); done > /dev/null); exit 3`}})
	if err != nil {
		t.Fatal(err)
	}
	exit := p.Exit()
	if exit.Code != 3 {
		t.Fatalf("%+v", exit)
	}
	if exit.IO == nil {
		t.Skip("this kernel does not count what processes read and write")
	}
	if exit.IO.Writes != 500 || exit.IO.WriteBytes != 4000 {
		t.Errorf("%+v", *exit.IO)
	}
}
