package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// code is the machine code of a function.
type code struct {
	instructions []string // without addresses and symbols
	loads        int
	stores       int
	vector       int
}

func (c *code) String() string {
	return fmt.Sprintf("%d instructions, %d loads", len(c.instructions), c.loads)
}

var (
	header  = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	targets = regexp.MustCompile(`\s*[0-9a-f]* ?<[^>]*>|\s*#.*|0x[0-9a-f]+\(%rip\)`)
	memory  = regexp.MustCompile(`\([^)]*\)|%[fg]s:`)
)

// disassemble reads the functions whose symbol has a part in common with name.
func disassemble(ctx context.Context, program, name string) (code, error) {
	var c code
	out, err := exec.CommandContext(ctx, "objdump", "-d", "--no-show-raw-insn", "--no-addresses", program).Output()
	if err != nil {
		return c, fmt.Errorf("objdump: %w", err)
	}
	inside := false
	for raw := range bytes.Lines(out) {
		line := strings.TrimRight(string(raw), "\n")
		if strings.HasPrefix(line, "<") || header.MatchString(line) {
			inside = strings.Contains(line, name)
			continue
		}
		if !inside || !strings.HasPrefix(line, "\t") {
			continue
		}
		c.add(strings.TrimSpace(targets.ReplaceAllString(line, "")))
	}
	if len(c.instructions) == 0 {
		return c, fmt.Errorf("%s has no function %s", program, name)
	}
	return c, nil
}

func (c *code) add(instruction string) {
	op, operands, _ := strings.Cut(instruction, " ")
	if op == "" || strings.HasPrefix(op, "nop") || strings.HasPrefix(op, "data16") || strings.HasPrefix(op, "cs") || op == "int3" {
		return // padding
	}
	c.instructions = append(c.instructions, instruction)
	if strings.Contains(operands, "%xmm") || strings.Contains(operands, "%ymm") {
		c.vector++
	}
	if strings.HasPrefix(op, "lea") || !memory.MatchString(operands) {
		return
	}
	if strings.HasSuffix(strings.TrimSpace(operands), ")") && strings.HasPrefix(op, "mov") && strings.Contains(operands, ",") {
		c.stores++
		return
	}
	c.loads++
}

// compare says how alike two functions are.
func (c *code) compare(d *code) string {
	if slices.Equal(c.instructions, d.instructions) {
		return "the same instructions"
	}
	count := map[string]int{}
	for _, i := range c.instructions {
		op, _, _ := strings.Cut(i, " ")
		count[op]++
	}
	for _, i := range d.instructions {
		op, _, _ := strings.Cut(i, " ")
		count[op]--
	}
	more, fewer := 0, 0
	for _, n := range count {
		more, fewer = more+max(n, 0), fewer+max(-n, 0)
	}
	if more == 0 && fewer == 0 {
		return "the same instructions in other registers or order"
	}
	return fmt.Sprintf("%d instructions of another kind", max(more, fewer))
}
