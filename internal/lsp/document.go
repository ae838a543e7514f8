package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/lsp/drift"
)

// document is an open text.
type document struct {
	uri, file string
	text      []string
	whole     string
	saved     bool   // the text is that of the file
	unit      *unit  // what its source says, nil where nobody asked
	version   uint64 // grows with every change
}

// unit is what the analyser found in a text of a file.
type unit struct {
	text     []string
	findings []finding.Finding
}

func (s *Server) opened(_ context.Context, in openParams) (any, error) {
	file, err := fileOf(in.TextDocument.URI)
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // an editor opens what is no file, too
	}
	// The profile names files as they are, not as a link leads to them.
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	d := &document{uri: in.TextDocument.URI, file: file, text: drift.Split(in.TextDocument.Text), whole: in.TextDocument.Text, saved: true}
	s.mu.Lock()
	s.docs[d.uri] = d
	s.mu.Unlock()
	s.later(func(ctx context.Context) {
		s.show(ctx, d.uri, false)
		s.analyse(ctx, d.uri)
	})
	return nil, nil //nolint:nilnil // the protocol's null
}

func (s *Server) changed(_ context.Context, in changeParams) (any, error) {
	if len(in.ContentChanges) == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	text := in.ContentChanges[len(in.ContentChanges)-1].Text
	s.update(in.TextDocument.URI, func(d *document) {
		d.text, d.whole, d.saved = drift.Split(text), text, false
		d.version++
	})
	s.later(func(ctx context.Context) { s.show(ctx, in.TextDocument.URI, false) })
	return nil, nil //nolint:nilnil // as above
}

func (s *Server) saved(_ context.Context, in documentParams) (any, error) {
	s.update(in.TextDocument.URI, func(d *document) { d.saved = true })
	s.later(func(ctx context.Context) {
		s.show(ctx, in.TextDocument.URI, true)
		s.analyse(ctx, in.TextDocument.URI)
	})
	return nil, nil //nolint:nilnil // as above
}

func (s *Server) closed(_ context.Context, in documentParams) (any, error) {
	s.mu.Lock()
	delete(s.docs, in.TextDocument.URI)
	s.mu.Unlock()
	s.notify("textDocument/publishDiagnostics", publishParams{in.TextDocument.URI, []diagnostic{}})
	return nil, nil //nolint:nilnil // as above
}

// update changes an open text. Texts are replaced and not written to: others may look at
// the one before.
func (s *Server) update(uri string, change func(*document)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[uri]; d != nil {
		next := *d
		change(&next)
		s.docs[uri] = &next
	}
}

func (s *Server) document(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[uri]
}

// showAll shows what is known now in every open text.
func (s *Server) showAll(ctx context.Context) {
	s.mu.Lock()
	uris := make([]string, 0, len(s.docs))
	for uri := range s.docs {
		uris = append(uris, uri)
	}
	refresh := s.can.Capabilities.Workspace.CodeLens.Refresh
	s.mu.Unlock()
	slices.Sort(uris)
	for _, uri := range uris {
		s.show(ctx, uri, false)
	}
	if refresh {
		s.later(func(ctx context.Context) { _, _ = s.rpc.Callback(ctx, "workspace/codeLens/refresh", nil) }) // a client may refuse
	}
}

// placed gives the profile's lines in an open text, nil where there are none.
func (s *Server) placed(ctx context.Context, d *document, again bool) *placed {
	now := s.profiled()
	if now == nil {
		return nil
	}
	from := now.source(ctx, d.file, again)
	if from == nil {
		return nil
	}
	if from.why != "" {
		s.once("nothing is shown in %s", from.why)
		return nil
	}
	return place(from, d.text)
}

// latest is the context of a text's analysis. It ends with the next one: the answer about a
// text that was saved since would come late, and would make the next one late.
func (s *Server) latest(ctx context.Context, uri string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.analyses[uri]; before != nil {
		before()
	}
	s.analyses[uri] = cancel
	return ctx, cancel
}

// analyse has the unit of a C or C++ file analysed, as it was saved.
func (s *Server) analyse(ctx context.Context, uri string) {
	d := s.document(uri)
	if d == nil || !d.saved {
		return
	}
	dir := s.buildDir()
	config := s.config(filepath.Dir(d.file))
	if dir == "" || !config.Shows(config.Units) {
		return
	}
	build, err := source.Open(dir)
	if err != nil {
		s.once("%v", err)
		return
	}
	one, err := build.Only(d.file)
	if err != nil {
		return // no unit of the build
	}
	ctx, done := s.latest(ctx, uri)
	defer done()
	if !s.answer(ctx, uri, d, one, false) {
		return
	}
	// What was kept of functions that an edit does not concern is right nearly always. Once
	// nobody saves for a while, the whole unit is analysed.
	select {
	case <-ctx.Done():
	case <-time.After(untilWhole):
		s.answer(ctx, uri, d, one, true)
	}
}

// untilWhole is how long after a save the whole unit is analysed.
const untilWhole = 2 * time.Second

// answer shows what is found in the unit of a document as it was saved. It says whether that
// is still what is to be shown.
func (s *Server) answer(ctx context.Context, uri string, d *document, one *source.Build, whole bool) bool {
	before := writtenAt(d.file)
	a, err := one.Scan(ctx, nil, false, source.Options{NoPatches: true, Session: s.session, Whole: whole})
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			s.once("%v", err)
		}
		return false
	}
	// What was found in the text before stays on the lines that are still there, when this
	// one does not compile, or when another was written while it was read.
	if a.Unanswered > 0 || before != writtenAt(d.file) {
		return false
	}
	var kept []finding.Finding
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Place.File == d.file && (f.Certainty == finding.Confirmed || f.Certainty == finding.Proved) {
			kept = append(kept, *f)
		}
	}
	if ctx.Err() != nil {
		return false // a later text was saved
	}
	same := false
	s.update(uri, func(now *document) {
		same = whole && now.unit != nil && reflect.DeepEqual(now.unit.findings, kept)
		now.unit = &unit{d.text, kept}
	})
	if !same {
		s.show(ctx, uri, false)
	}
	return true
}

// writing is what tells one writing of a file from the next.
type writing struct {
	size int64
	time time.Time
}

// writtenAt is the last writing of a file, nothing where there is no file.
func writtenAt(file string) writing {
	info, err := os.Stat(file)
	if err != nil {
		return writing{}
	}
	return writing{info.Size(), info.ModTime()}
}
