// Package term prints profiles, tables and trees in a terminal.
//
// It owns layout: what fits the width, what is shortened, what is coloured. It
// takes data of internal/profile/view and gives text on a writer. It must never read a
// profile from a file or decide what is worth showing beyond what fits.
//
// Colours and the closing hint appear only on a terminal; NO_COLOR and
// CLICOLOR_FORCE are honoured. Text from a profile cannot move the cursor or
// change colours: control characters are shown escaped.
package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"whyhot/internal/host/printable"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile/symname"
)

// Unlimited is the width of what is not a terminal: a pipe gets whole names.
const Unlimited = 1 << 20

// Printer writes to one output and remembers the first error.
type Printer struct {
	out   io.Writer
	Width int  // columns there are
	TTY   bool // whether a person is looking
	err   error

	hinted bool // so that several hints stand together
}

// New returns a printer for w. COLUMNS in env overrules the terminal's own
// width.
func New(w io.Writer, env []string) *Printer {
	p := &Printer{out: Output(w, env), Width: Unlimited}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.TTY = true
		p.Width = 80
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			p.Width = width
		}
	}
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "COLUMNS="); ok {
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				p.Width = n
			}
		}
	}
	return p
}

// Output is w without the escape codes that it cannot show. NO_COLOR takes all of them away:
// to who sets it, bold and faint text are colours as well.
func Output(w io.Writer, env []string) io.Writer {
	out := colorprofile.NewWriter(w, env)
	if slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "NO_COLOR=") && e != "NO_COLOR=" }) {
		out.Profile = colorprofile.NoTTY
	}
	return out
}

// Heading shows a text as the heading of what is below it. A lipgloss.Style that underlines
// would send its codes once for each letter.
func Heading(text string) string { return ansi.Style{}.Faint().Underline(true).Styled(text) }

// Err returns the first error of writing.
func (p *Printer) Err() error { return p.err }

// Line prints one line; parts are already styled.
func (p *Printer) Line(parts ...string) {
	if p.err != nil {
		return
	}
	_, p.err = fmt.Fprintln(p.out, strings.TrimRight(strings.Join(parts, ""), " "))
}

// Notef prints a remark beside a table, on as many lines as the terminal needs.
func (p *Printer) Notef(format string, args ...any) {
	text := Clean(fmt.Sprintf(format, args...))
	if p.Width >= Unlimited {
		p.Line(styles.dim.Render(text))
		return
	}
	for _, line := range wordWrap(text, p.Width) {
		p.Line(styles.dim.Render(line))
	}
}

// Hint prints the next command worth running, to people only.
func (p *Printer) Hint(what string, command ...string) {
	if !p.TTY {
		return
	}
	if !p.hinted {
		p.hinted = true
		p.Line()
	}
	p.Line(styles.dim.Render(what+": ") + styles.command.Render(CommandLine(command)))
}

// Quote writes a word as a shell takes it.
func Quote(word string) string { return shellwords.Quote(Clean(word)) }

// CommandLine writes words as a shell takes them.
func CommandLine(words []string) string {
	clean := make([]string, len(words))
	for i, w := range words {
		clean[i] = Clean(w)
	}
	return shellwords.Join(clean)
}

// Clean shows control characters escaped, so that text from a profile cannot
// drive the terminal.
func Clean(s string) string { return printable.Text(s) }

// nameRoom is the most of a function's name that running text can take.
const nameRoom = 64

// inText shortens a function's name for running text, unless it goes to a pipe or file.
func (p *Printer) inText(name string) string {
	if p.Width >= Unlimited {
		return name
	}
	return symname.Shorten(name, nameRoom)
}

// styles use the 16 basic colours, which every theme defines for its own
// background, and say nothing by colour alone.
var styles = struct {
	title, dim, bar, strong, command, warn, more, less lipgloss.Style
}{
	title:   lipgloss.NewStyle().Bold(true),
	dim:     lipgloss.NewStyle().Faint(true),
	bar:     lipgloss.NewStyle().Foreground(lipgloss.BrightBlue),
	strong:  lipgloss.NewStyle().Bold(true),
	command: lipgloss.NewStyle().Foreground(lipgloss.Cyan),
	warn:    lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	more:    lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	less:    lipgloss.NewStyle().Foreground(lipgloss.Cyan),
}
