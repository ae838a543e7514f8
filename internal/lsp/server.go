package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/host/version"
	"whyhot/internal/mcp/allow"
)

// Profile is what is shown.
type Profile struct {
	fetch.Fetched

	Path   string // "" where it has none, as one of a server
	Trials map[string][]finding.Trial
}

// Options say what a server shows.
type Options struct {
	// Load gives the profile for a root directory; named is what the configuration names,
	// "" for nothing.
	Load func(ctx context.Context, root, named string) (Profile, error)
	// BuildDir has the compile_commands.json, "" for what the configuration names.
	BuildDir string
	// Lens has lenses shown that nobody asked for in the configuration.
	Lens bool
}

// Server answers one editor.
type Server struct {
	o       Options
	rules   func() (explain.Rules, error) // reads them once: the first lines are shown before
	session *source.Session               // of the analyses of saved files
	root    string
	can     initializeParams // what the client said
	rpc     *jrpc2.Server
	ctx     context.Context //nolint:containedctx // of what goes on between requests
	work    sync.WaitGroup

	mu       sync.Mutex
	off      bool
	docs     map[string]*document
	analyses map[string]context.CancelFunc // the last one of each text
	shown    *shown                        // nil until the profile is loaded
	failed   string                        // why there is none
	said     map[string]bool
	progress int
	shutdown bool

	exited  chan struct{} // closed when the client says exit
	exiting sync.Once
}

// ErrNoShutdown is the error of Serve where a client says exit without shutdown before.
var ErrNoShutdown = errors.New("the client sent exit without shutdown")

// untilEnd is how long what goes on may take to end once the client has said exit.
const untilEnd = 200 * time.Millisecond

// New makes a server.
func New(o Options) *Server {
	rules := sync.OnceValues(func() (explain.Rules, error) { return explain.LoadRules() })
	return &Server{o: o, rules: rules, session: source.NewSession(), docs: map[string]*document{}, analyses: map[string]context.CancelFunc{}, said: map[string]bool{}, exited: make(chan struct{})}
}

// Serve answers until the client ends the session.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	ctx, stop := context.WithCancel(ctx)
	defer s.session.Close()
	defer s.endWork()
	defer stop()
	s.ctx = ctx
	const concurrent = 8 // a command may wait for the client's answer, and others go on
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: concurrent, NewContext: func() context.Context { return ctx },
	})
	s.rpc.Start(channel.Header("")(in, out))
	ended := make(chan error, 1)
	go func() { ended <- s.rpc.Wait() }()
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-s.exited:
		s.rpc.Stop()
		// The one who reads goes on until the client closes its end, which it need not do.
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.shutdown {
			return ErrNoShutdown
		}
		return nil
	case <-ctx.Done():
		s.rpc.Stop()
		return nil
	}
}

// endWork waits for what goes on between requests, for a while.
func (s *Server) endWork() {
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(untilEnd):
	}
}

func (s *Server) methods() handler.Map {
	return handler.Map{
		"initialize":                       lenient(s.initialize),
		"initialized":                      lenient(s.initialized),
		"shutdown":                         lenient(s.end),
		"exit":                             lenient(s.exit),
		"$/cancelRequest":                  lenient(s.cancel),
		"$/setTrace":                       lenient(s.nothing),
		"window/workDoneProgress/cancel":   lenient(s.nothing),
		"workspace/didChangeConfiguration": lenient(s.nothing),
		"textDocument/didOpen":             lenient(s.opened),
		"textDocument/didChange":           lenient(s.changed),
		"textDocument/didSave":             lenient(s.saved),
		"textDocument/didClose":            lenient(s.closed),
		"textDocument/hover":               lenient(s.hover),
		"textDocument/codeAction":          lenient(s.actions),
		"textDocument/codeLens":            lenient(s.lenses),
		"workspace/executeCommand":         lenient(s.execute),
	}
}

// lenient reads what is known of parameters: clients send more.
func lenient[In, Out any](do func(context.Context, In) (Out, error)) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		var in In
		if text := r.ParamString(); text != "" {
			if err := json.Unmarshal([]byte(text), &in); err != nil {
				return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %v", r.Method(), err)
			}
		}
		return do(ctx, in)
	}
}

type empty struct{}

func (s *Server) nothing(context.Context, json.RawMessage) (any, error) { return nil, nil } //nolint:nilnil // the protocol's null

func (s *Server) initialize(_ context.Context, in initializeParams) (any, error) {
	root, err := fileOf(in.RootURI)
	if err != nil {
		if root, err = filepath.Abs("."); err != nil {
			return nil, err
		}
	}
	if target, err := filepath.EvalSymlinks(root); err == nil {
		root = target
	}
	s.mu.Lock()
	s.root, s.can, s.off = root, in, in.Options.Off
	s.mu.Unlock()
	const wholeTexts = 1
	return map[string]any{
		"capabilities": map[string]any{
			"textDocumentSync":       map[string]any{"openClose": true, "change": wholeTexts, "save": true},
			"hoverProvider":          true,
			"codeActionProvider":     map[string]any{"codeActionKinds": []string{kindFix, kindLook}},
			"codeLensProvider":       empty{},
			"executeCommandProvider": map[string]any{"commands": commandNames()},
		},
		"serverInfo": map[string]string{"name": "whyhot", "version": version.String()},
	}, nil
}

func (s *Server) initialized(context.Context, empty) (any, error) {
	s.later(s.load)
	return nil, nil //nolint:nilnil // as above
}

func (s *Server) end(context.Context, json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shutdown = true
	return nil, nil //nolint:nilnil // as above
}

func (s *Server) exit(context.Context, json.RawMessage) (any, error) {
	s.exiting.Do(func() { close(s.exited) })
	return nil, nil //nolint:nilnil // as above
}

func (s *Server) cancel(_ context.Context, in struct {
	ID json.RawMessage `json:"id"`
}) (any, error) {
	s.rpc.CancelRequest(string(in.ID))
	return nil, nil //nolint:nilnil // as above
}

// later has something done between requests.
func (s *Server) later(do func(context.Context)) {
	s.work.Go(func() { do(s.ctx) })
}

// load reads the profile and shows its lines, then asks what explains them.
func (s *Server) load(ctx context.Context) {
	config := s.config(s.root)
	p, err := s.o.Load(ctx, s.root, config.Profile)
	if err != nil {
		s.fail(err)
		return
	}
	if p.Total() == 0 {
		s.fail(fmt.Errorf("%s has no samples", p.Path))
		return
	}
	now := newShown(p)
	s.mu.Lock()
	s.shown = now
	s.mu.Unlock()
	s.log("%s: %d samples", named(p.Path), p.Count())
	s.showAll(ctx)
	rules, err := s.rules()
	if err != nil {
		s.log("no findings: %v", err)
		return
	}
	report, err := explain.Explain(ctx, explain.Request{Profile: p.Profile, Path: p.Path, Rules: rules, Machine: true, Trials: p.Trials})
	if err != nil {
		s.log("no findings: %v", err)
		return
	}
	now.mu.Lock()
	now.findings = report.Findings
	if report.Waits != nil {
		now.waits = report.Waits.Lines
	}
	now.mu.Unlock()
	s.showAll(ctx)
}

func named(path string) string {
	if path == "" {
		return "the server's profile"
	}
	return path
}

func (s *Server) fail(err error) {
	s.mu.Lock()
	s.failed = err.Error()
	s.mu.Unlock()
	s.log("no profile is shown: %v", err)
}

// profiled is what is shown, nil where there is nothing yet.
func (s *Server) profiled() *shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// config is what counts for a directory. A mistake in it is said once, and shows nothing:
// it may have been meant to switch something off.
func (s *Server) config(dir string) allow.Editor {
	e, err := allow.EditorFor(s.root, dir)
	if err != nil {
		s.once("%v", err)
		return allow.Editor{Off: true}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Off = e.Off || s.off
	e.Lens = e.Lens || s.o.Lens || s.can.Options.Lens
	return e
}

// buildDir has the compile_commands.json, "" for none.
func (s *Server) buildDir() string {
	if s.o.BuildDir != "" {
		return s.o.BuildDir
	}
	rules, err := allow.Load(s.root)
	if err != nil || rules.Try.BuildDir == "" {
		return ""
	}
	dir, err := rules.Path(rules.Try.BuildDir)
	if err != nil {
		s.once("build_dir: %v", err)
		return ""
	}
	return dir
}

func (s *Server) notify(method string, params any) {
	_ = s.rpc.Notify(s.ctx, method, params) // a client that has gone hears nothing
}

const logged = 4

func (s *Server) log(format string, args ...any) {
	s.notify("window/logMessage", message{logged, "whyhot: " + fmt.Sprintf(format, args...)})
}

// once logs the same text once.
func (s *Server) once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	said := s.said[text]
	s.said[text] = true
	s.mu.Unlock()
	if !said {
		s.log("%s", text)
	}
}
