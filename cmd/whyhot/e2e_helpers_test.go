package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/trial/whatif"
)

// condition answers what a script asks of the machine: [perf] that perf can
// record here, [root] that we are root, [analyzer] and [whatif] that the parts
// that need LLVM were built.
func condition(cond string) (bool, error) {
	switch cond {
	case "perf":
		dir, err := os.MkdirTemp("", "whyhot-perf")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		probe := exec.Command("perf", "record", "-e", "cpu-clock", "-o", filepath.Join(dir, "p"), "true") //nolint:noctx // ends by itself
		return probe.Run() == nil, nil
	case "root":
		return os.Geteuid() == 0, nil
	case "analyzer":
		_, err := os.Stat(filepath.Join("..", "..", "bin", "whyhot-analyzer"))
		return err == nil, nil
	case "whatif":
		if _, err := os.Stat(filepath.Join("..", "..", "bin", "whyhot-whatif.so")); err != nil {
			return false, nil
		}
		_, err := whatif.FindClang(context.Background())
		return err == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// cmdSchema validates a JSON file against a published schema:
// schema NAME FILE, with NAME a file of docs/.
func cmdSchema(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: schema SCHEMA FILE")
	}
	docs := filepath.Join(ts.Getenv("ROOT"), "docs")
	compiler := jsonschema.NewCompiler()
	// Schemas name each other by their $id.
	findings, err := os.Open(filepath.Join(docs, "finding.schema.json"))
	ts.Check(err)
	defer findings.Close()
	shared, err := jsonschema.UnmarshalJSON(findings)
	ts.Check(err)
	ts.Check(compiler.AddResource("https://whyhot.invalid/finding.schema.json", shared))
	schema, err := compiler.Compile(filepath.Join(docs, args[0]))
	ts.Check(err)
	var doc any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1])))
	dec.UseNumber()
	ts.Check(dec.Decode(&doc))
	err = schema.Validate(doc)
	switch {
	case err != nil && !neg:
		ts.Fatalf("%s does not fit %s: %v", args[1], args[0], err)
	case err == nil && neg:
		ts.Fatalf("%s fits %s and should not", args[1], args[0])
	}
}

func writeScriptFile(ts *testscript.TestScript, name, text string) {
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
}
