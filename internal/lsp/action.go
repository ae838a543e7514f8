package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"whyhot/internal/explain"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/host/printable"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// The kinds of actions, and their commands.
const (
	kindFix  = "quickfix"
	kindLook = "source.whyhot"

	commandFix     = "whyhot.fix"
	commandWhatIf  = "whyhot.whatIf"
	commandProve   = "whyhot.prove"
	commandMachine = "whyhot.machineCode"
	commandToggle  = "whyhot.toggle"
)

func commandNames() []string {
	return []string{commandFix, commandWhatIf, commandProve, commandMachine, commandToggle}
}

// about is what a command is about.
type about struct {
	URI     string `json:"uri"`
	Line    int    `json:"line"`              // of the open text, from 0
	Finding string `json:"finding,omitempty"` // its id
}

func (s *Server) actions(ctx context.Context, in actionParams) (any, error) {
	out := []codeAction{}
	d := s.document(in.TextDocument.URI)
	if d == nil {
		return out, nil
	}
	if config := s.config(filepath.Dir(d.file)); !config.Shows(config.Actions) {
		return out, nil
	}
	add := func(kind, title, name string, of about) {
		if len(in.Context.Only) == 0 || slices.ContainsFunc(in.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".")
		}) {
			out = append(out, codeAction{title, kind, &command{title, name, []any{of}}})
		}
	}
	for _, m := range s.marks(ctx, d, false) {
		if m.line < in.Range.Start.Line || m.line > in.Range.End.Line {
			continue
		}
		for i := range m.findings {
			f := &m.findings[i]
			of := about{d.uri, m.line, f.ID}
			title := printable.Text(f.Title)
			if explain.CanPatch(f.Rule) && s.buildDir() != "" {
				add(kindFix, "whyhot: write the fix: "+title, commandFix, of)
			}
			add(kindLook, "whyhot: what would it bring? "+title, commandWhatIf, of)
			add(kindLook, "whyhot: prove it: "+title, commandProve, of)
		}
		if m.total >= least {
			if len(m.findings) == 0 {
				add(kindLook, "whyhot: what would it bring if this function took no time?", commandWhatIf, about{d.uri, m.line, ""})
			}
			add(kindLook, "whyhot: show the machine code of this loop", commandMachine, about{d.uri, m.line, ""})
		}
	}
	return out, nil
}

// execute runs a command. What it finds is its result, and is shown, too.
func (s *Server) execute(ctx context.Context, in executeParams) (any, error) {
	if in.Command == commandToggle {
		return s.toggle(), nil
	}
	var of about
	if len(in.Arguments) != 1 || json.Unmarshal(in.Arguments[0], &of) != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes one object with uri and line", in.Command)
	}
	d := s.document(of.URI)
	if d == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", of.URI)
	}
	m, f := s.meant(ctx, d, of)
	if m == nil {
		return nil, s.tell("that line has changed: nothing is known of it now")
	}
	switch in.Command {
	case commandFix:
		return nil, s.write(ctx, in.Token, d, f)
	case commandWhatIf:
		return s.whatIf(d, m, f)
	case commandProve:
		return s.prove(f)
	case commandMachine:
		return s.machineCode(ctx, in.Token, d, m)
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "unknown command %q", in.Command)
}

// meant finds the line and the finding that a command is about.
func (s *Server) meant(ctx context.Context, d *document, of about) (*mark, *finding.Finding) {
	marks := s.marks(ctx, d, false)
	i := slices.IndexFunc(marks, func(m mark) bool { return m.line == of.Line })
	if i < 0 {
		return nil, nil
	}
	m := &marks[i]
	k := slices.IndexFunc(m.findings, func(f finding.Finding) bool { return f.ID == of.Finding })
	if k < 0 {
		return m, nil
	}
	return m, &m.findings[k]
}

// toggle switches everything off, or on again.
func (s *Server) toggle() bool {
	s.mu.Lock()
	s.off = !s.off
	on := !s.off
	s.mu.Unlock()
	s.later(s.showAll)
	return on
}

const (
	failure = 1
	told    = 3
)

// tell shows the user a message and gives it as an error, for clients that show these.
func (s *Server) tell(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	s.notify("window/showMessage", message{failure, "whyhot: " + text})
	return jrpc2.Errorf(jrpc2.Code(requestFailed), "%s", text)
}

// requestFailed is the protocol's code for a request that is right and has no answer.
const requestFailed = -32803

// busy shows how far a command is, where the client can. The function it gives says more,
// or with "" that it is done.
func (s *Server) busy(ctx context.Context, token json.RawMessage, title string) func(string) {
	if len(token) == 0 {
		s.mu.Lock()
		can := s.can.Capabilities.Window.WorkDoneProgress
		s.progress++
		token = json.RawMessage(fmt.Sprintf(`"whyhot-%d"`, s.progress))
		s.mu.Unlock()
		if !can {
			return func(string) {}
		}
		if _, err := s.rpc.Callback(ctx, "window/workDoneProgress/create", map[string]any{"token": token}); err != nil {
			return func(string) {}
		}
	}
	report := func(kind, title, text string) {
		value := map[string]string{"kind": kind}
		if title != "" {
			value["title"] = title
		}
		if text != "" {
			value["message"] = text
		}
		s.notify("$/progress", map[string]any{"token": token, "value": value})
	}
	report("begin", title, "")
	return func(text string) {
		if text == "" {
			report("end", "", "")
			return
		}
		report("report", "", text)
	}
}

// write has a fix written and gives it to the editor, which asks or applies it. Nothing is
// written to files here.
func (s *Server) write(ctx context.Context, token json.RawMessage, d *document, f *finding.Finding) error {
	if f == nil {
		return s.tell("the finding is not there any more")
	}
	if !d.saved {
		return s.tell("save the file first: the fix is compiled with what is on disk")
	}
	say := s.busy(ctx, token, "whyhot: writing the fix")
	defer say("")
	// The finding's line is of the text that it was found in.
	at := f.Place.Line
	if m, _ := s.meantAt(ctx, d, f.ID); m != nil {
		at = m.line + 1
	}
	rules, err := s.rules()
	if err != nil {
		return s.tell("%v", err)
	}
	p, err := explain.Patch(ctx, explain.PatchRequest{
		Subject: finding.Line{File: d.file, Line: at}.String(), Rules: rules, Dir: s.root,
		Build: func() (*source.Build, error) { return source.Open(s.buildDir()) },
		Options: source.Options{Progress: func(p source.Progress) {
			say(fmt.Sprintf("%d of %d %s", p.Done, p.Of, p.What))
		}},
	})
	if err != nil {
		return s.tell("%v", err)
	}
	if !p.Sound() {
		reasons := make([]string, 0, len(p.Refusals))
		for _, r := range p.Refusals {
			reasons = append(reasons, r.Text)
		}
		return s.tell("no fix: %s", printable.Text(strings.Join(append(reasons, p.Advice...), "; ")))
	}
	edit := workspaceEdit{map[string][]textEdit{}}
	for _, c := range p.Changes {
		uri := uriOf(c.Path)
		if c.Path == d.file {
			uri = d.uri
		}
		if open := s.document(uri); open != nil && open.whole != string(c.Before) {
			return s.tell("%s was changed since: save it and ask again", c.Path)
		}
		edit.Changes[uri] = []textEdit{editOf(c)}
	}
	label := "whyhot: " + p.What
	for _, a := range p.Assumptions {
		label += "; assumes: " + a.Text
	}
	if _, err := s.rpc.Callback(ctx, "workspace/applyEdit", map[string]any{"label": printable.Text(label), "edit": edit}); err != nil {
		return s.tell("the editor did not take the fix: %v", err)
	}
	s.notify("window/showMessage", message{told, printable.Text(label + ": " + p.Effect)})
	return nil
}

// meantAt finds the line of a finding.
func (s *Server) meantAt(ctx context.Context, d *document, id string) (*mark, *finding.Finding) {
	for _, m := range s.marks(ctx, d, false) {
		for i := range m.findings {
			if m.findings[i].ID == id {
				return &m, &m.findings[i]
			}
		}
	}
	return nil, nil
}

// editOf is the lines that differ.
func editOf(c fix.Change) textEdit {
	before, after := strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(string(c.After), "\n")
	from := 0
	for from < len(before) && from < len(after) && before[from] == after[from] {
		from++
	}
	to := 0
	for to < len(before)-from && to < len(after)-from && before[len(before)-1-to] == after[len(after)-1-to] {
		to++
	}
	last := len(before) - to
	end := position{last, 0}
	if last == len(before) { // the last line has no end
		end = position{last - 1, columns(before[last-1])}
	}
	return textEdit{textRange{position{from, 0}, end}, strings.Join(after[from:len(after)-to], "")}
}

// whatIf bounds what a change can bring.
func (s *Server) whatIf(d *document, m *mark, f *finding.Finding) (any, error) {
	now := s.profiled()
	text := ""
	switch {
	case f != nil:
		share := max(f.Share.Main(), m.self)
		if f.Gain != nil {
			share = max(share, f.Gain.Reach)
		}
		text = fmt.Sprintf("%s: %s", printable.Text(f.Title), bound(share, now))
		if g := f.Estimate(); g != nil {
			text += "; likely " + finding.SpeedUps(max(0, g.Low), min(1, g.High))
		}
		for _, w := range f.Worlds {
			if w.Reached {
				text += fmt.Sprintf("; the compiler makes the loop %s then", w.Fate)
				break
			}
		}
	case now == nil:
		return nil, s.tell("no profile says how much this takes")
	default:
		id, ok := s.function(d, m)
		if !ok {
			return nil, s.tell("the profile has no function there")
		}
		total := now.share(view.Lines(now.p.Profile, []profile.FunctionID{id}).Total)
		text = fmt.Sprintf("%s with all that it calls: %s", printable.Text(view.Name(now.p.Profile, id)), bound(total, now))
	}
	s.notify("window/showMessage", message{told, text})
	return text, nil
}

// bound is what can be had at most where a share of the CPU goes away.
func bound(share float64, now *shown) string {
	if now == nil || share == 0 {
		return "how much the whole program can gain is not known: no profile has samples of it"
	}
	high := min(1, share+finding.ShareError(share, now.events))
	const noBound = 0.95
	if high >= noBound {
		return fmt.Sprintf("%.1f%% of the CPU, so the rest of the program bounds nothing", 100*share)
	}
	return fmt.Sprintf("%.1f%% of the CPU, at most %.2f× for the whole program", 100*share, finding.SpeedUp(high))
}

// function is the function of the profile at a line of the open text.
func (s *Server) function(d *document, m *mark) (profile.FunctionID, bool) {
	now := s.profiled()
	if now == nil {
		return 0, false
	}
	from := now.source(s.ctx, d.file, false)
	if from == nil || from.why != "" {
		return 0, false
	}
	was, ok := place(from, d.text).was(m.line)
	if !ok {
		return 0, false
	}
	return now.functionAt(from.recorded, was)
}

// prove gives the command that measures the finding. It is for a person to run.
func (s *Server) prove(f *finding.Finding) (any, error) {
	if f == nil {
		return nil, s.tell("the finding is not there any more")
	}
	text := f.Next.String()
	if text == "" {
		words := []string{"whyhot", "try", "--finding", f.ID}
		if now := s.profiled(); now != nil && now.p.Path != "" {
			words = append(words, "--profile", now.p.Path)
		}
		if dir := s.buildDir(); dir != "" && source.StoreOf(f.ID) != "" {
			words = append(words, "-p", dir)
		}
		text = shellwords.Join(append(words, "--")) + " COMMAND"
	}
	s.notify("window/showMessage", message{told, "to measure it: " + printable.Text(text)})
	return text, nil
}

// machineCode shows the hottest loop of the function at a line.
func (s *Server) machineCode(ctx context.Context, token json.RawMessage, d *document, m *mark) (any, error) {
	id, ok := s.function(d, m)
	if !ok {
		return nil, s.tell("the profile has no function there")
	}
	say := s.busy(ctx, token, "whyhot: reading machine code")
	defer say("")
	now := s.profiled()
	p := now.p.Profile
	facts := binfacts.New()
	defer facts.Close() //nolint:errcheck // only read from
	answer, err := machine.Find(ctx, machine.Request{Profile: p, Functions: 1, Only: func(f *profile.Function) bool { return f.Name == p.Function(id).Name }}, facts)
	if err != nil {
		return nil, s.tell("no machine code: %v", err)
	}
	if len(answer.Loops) == 0 {
		return nil, s.tell("%s has no loop with samples, or its binary is not here", printable.Text(view.Name(p, id)))
	}
	l := &answer.Loops[0]
	var b strings.Builder
	fmt.Fprintf(&b, "; %s, loop at %s:%d, %.1f%% of the CPU\n", printable.Text(l.Function), printable.Text(l.File), l.Line, 100*now.share(l.Self))
	for i := range l.Instructions {
		in := &l.Instructions[i]
		fmt.Fprintf(&b, "%5.1f%%  %s\n", 100*now.share(in.Self), printable.Text(in.Text))
	}
	text := b.String()
	s.mu.Lock()
	can := s.can.Capabilities.Window.ShowDocument.Support
	s.mu.Unlock()
	if !can {
		s.notify("window/showMessage", message{told, text})
		return text, nil
	}
	file, err := os.CreateTemp("", "whyhot-*.asm")
	if err != nil {
		return text, nil //nolint:nilerr // the result has it
	}
	_, err = file.WriteString(text)
	if e := file.Close(); err == nil && e == nil {
		_, _ = s.rpc.Callback(ctx, "window/showDocument", map[string]any{"uri": uriOf(file.Name()), "takeFocus": false}) // a client may refuse
	}
	return text, nil
}
