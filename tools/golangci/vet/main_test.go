package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Each pass that `go vet` of this machine's Go has is here, or the next Go's new ones are missed.
func TestAllPassesOfGoVetAreHere(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "tool", "vet", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "Registered analyzers:")
	list, _, _ = strings.Cut(list, "By default")
	known := map[string]bool{}
	for _, a := range vetPasses {
		known[a.Name] = true
	}
	all := regexp.MustCompile(`(?m)^ {4}(\w+) `).FindAllStringSubmatch(list, -1)
	if len(all) < 30 {
		t.Fatalf("the list of go vet was not read: %s", out)
	}
	for _, m := range all {
		if !known[m[1]] {
			t.Errorf("go vet has the pass %s, this program does not", m[1])
		}
	}
}
