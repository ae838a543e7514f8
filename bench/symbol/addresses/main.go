// Command addresses prints random addresses of a binary's .text, the same in
// every run.
package main

import (
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

func main() {
	obj := flag.String("obj", "", "the binary")
	n := flag.Int("n", 100_000, "how many")
	flag.Parse()
	if err := run(*obj, *n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errNoText = errors.New("no .text section")

func run(obj string, n int) error {
	f, err := elf.Open(obj)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	text := f.Section(".text")
	if text == nil {
		return errNoText
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a sample that is the same in every run, not a secret
	var out strings.Builder
	for range n {
		fmt.Fprintf(&out, "%#x\n", text.Addr+random.Uint64N(text.Size))
	}
	_, err = os.Stdout.WriteString(out.String())
	return err
}
