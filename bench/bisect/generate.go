package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// history is a repository with one slow commit.
type history struct {
	dir       string
	commits   int
	slower    float64
	culprit   string
	function  string
	good, bad string

	rng   *rand.Rand
	parts []part
	note  int
	extra []string // functions that commits have added
	fails bool
}

// part is one function of the program, in a file of its own.
type part struct {
	rounds  int
	comment string
	local   string // name of a variable
}

const (
	functions  = 8
	roundsEach = 4000
)

func generate(ctx context.Context, dir string, seed uint64) (*history, error) {
	rng := rand.New(rand.NewPCG(seed, 28)) //nolint:gosec // a seeded history
	h := &history{dir: dir, rng: rng}
	total := 16 + rng.IntN(49)
	slow := 1 + rng.IntN(total)
	h.slower = 0.03 + 0.17*rng.Float64()
	for range functions {
		h.parts = append(h.parts, part{rounds: roundsEach, comment: "The first version.", local: "x"})
	}
	if err := h.call(ctx, "git", "init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	id, err := h.commit(ctx, "Begin")
	if err != nil {
		return nil, err
	}
	h.good = id
	for i := 1; i <= total; i++ {
		subject := h.change(i, i == slow, i < total)
		if id, err = h.commit(ctx, subject); err != nil {
			return nil, err
		}
		if i == slow {
			h.culprit = id
		}
	}
	h.bad, h.commits = id, total
	return h, nil
}

// change makes one change to the program.
func (h *history) change(i int, slow, mayFail bool) (subject string) {
	at := h.rng.IntN(functions)
	p := &h.parts[at]
	wasBroken := h.fails
	h.fails = false
	if slow {
		p.rounds += int(h.slower * functions * roundsEach)
		h.function = fmt.Sprintf("part%d", at)
		return fmt.Sprintf("Handle all cases in part %d", at)
	}
	const oneIn = 12
	switch h.rng.IntN(6) {
	case 0:
		p.comment = fmt.Sprintf("Version %d of the text.", i)
		return "Explain a function"
	case 1:
		h.note = i
		return "Change the notes"
	case 2:
		p.local = fmt.Sprintf("value%d", i)
		return "Rename a variable"
	case 3:
		h.extra = append(h.extra, fmt.Sprintf("int extra%d(int a) { return a * %d + (a >> %d); }\n", i, 3+h.rng.IntN(90), 1+h.rng.IntN(5)))
		return "Add a function"
	case 4:
		p.rounds += h.rng.IntN(20) - 10
		return "Tune a constant"
	}
	if mayFail && h.rng.IntN(oneIn/6) == 0 && !wasBroken { //nolint:mnd // one of six cases
		h.fails = true
		return "Begin a rewrite"
	}
	h.note = -i
	return "Change a text"
}

func (h *history) commit(ctx context.Context, subject string) (id string, err error) {
	write := func(name, text string) {
		if err == nil {
			err = os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600)
		}
	}
	write("NOTES.md", fmt.Sprintf("Notes, version %d.\n", h.note))
	write(".gitignore", "*.o\nprog\n")
	var objects, calls, declared strings.Builder
	for i, p := range h.parts {
		write(fmt.Sprintf("part%d.c", i), fmt.Sprintf(`/* %s */
unsigned part%d(unsigned *a, int n)
{
	unsigned %[3]s = %[2]d;
	for (int r = 0; r < %[4]d; r++)
		for (int i = 0; i < n; i++) {
			%[3]s = %[3]s * 33 + (a[i] ^ (%[3]s >> 7));
			a[i] += %[3]s;
		}
	return %[3]s;
}
`, p.comment, i, p.local, p.rounds))
		fmt.Fprintf(&objects, " part%d.o", i)
		fmt.Fprintf(&declared, "unsigned part%d(unsigned *, int);\n", i)
		fmt.Fprintf(&calls, "\tsum += part%d(a, 512);\n", i)
	}
	broken := ""
	if h.fails {
		broken = "#error not finished\n"
	}
	write("extra.c", "/* Small helpers. */\n"+strings.Join(h.extra, ""))
	write("main.c", fmt.Sprintf("#include <stdio.h>\n%s%s\nint main(void)\n{\n\tstatic unsigned a[512];\n\tunsigned sum = 0;\n%s\tprintf(\"%%u, text %d\\n\", sum);\n\treturn 0;\n}\n",
		broken, declared.String(), calls.String(), min(h.note, 0)))
	write("Makefile", "CFLAGS = -O2\nprog: main.o extra.o"+objects.String()+"\n\t$(CC) -o $@ $^\nclean:\n\trm -f *.o prog\n")
	if err != nil {
		return "", err
	}
	if err := h.call(ctx, "git", "add", "-A"); err != nil {
		return "", err
	}
	if err := h.call(ctx, "git", "commit", "-q", "--allow-empty", "-m", subject); err != nil {
		return "", err
	}
	return h.output(ctx, "git", "rev-parse", "HEAD")
}
