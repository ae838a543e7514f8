// Command testreport reads what test runners write and says what counts: the
// failures at once, and at the end what took how long, what was skipped and why,
// and how many tests passed. It takes the streams of `go test -json` and of TAP,
// and gives one line a test in a file that its summary reads; it runs no test
// itself and imports nothing of whyhot.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const usage = `
usage:
  go test -json ... | testreport go FILE      show the run, keep the results in FILE
  testreport tap SUITE FILE < TAP             keep the results of a TAP stream in FILE
  testreport failed FILE                      list the packages with a failure in FILE
  testreport again FILE SECOND                put SECOND, a further run of some packages, into FILE
  testreport summary DIR [EXPECTED]           sum up DIR/*.jsonl and DIR/steps.tsv

summary exits with 1 if a test failed, or was skipped and EXPECTED does not list it`

var errUsage = errors.New("wrong arguments" + usage)

// errFailed is a verdict that was already shown.
var errFailed = errors.New("not all passed")

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout)
	if errors.Is(err, errFailed) {
		os.Exit(1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "go" && len(args) == 1:
		results, failed, err := readGo(in, out)
		if err == nil {
			err = writeResults(args[0], results)
		}
		if err == nil && failed {
			err = errFailed
		}
		return err
	case command == "tap" && len(args) == 2:
		results, err := readTAP(in, args[0])
		if err != nil {
			return err
		}
		return writeResults(args[1], results)
	case command == "failed" && len(args) == 1:
		return failedSuites(out, args[0])
	case command == "again" && len(args) == 2:
		return runAgain(args[0], args[1])
	case command == "summary" && len(args) == 1:
		return summary(out, args[0], nil)
	case command == "summary" && len(args) == 2:
		list, err := readExpected(args[1])
		if err != nil {
			return err
		}
		return summary(out, args[0], list)
	}
	return errUsage
}
