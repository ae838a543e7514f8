package ebpf

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// logTail keeps what the profiler tells only in its log: the last errors, because
// those that it returns leave out why the kernel refused something, and which
// interpreters it could not make sense of.
type logTail struct {
	mu     sync.Mutex
	lines  []string
	unread map[string]string // why, by the interpreter's file
}

var _ slog.Handler = (*logTail)(nil)

const (
	tailLines = 3
	// maxUnread bounds how many interpreters are told of.
	maxUnread = 64
)

// unreadInterpreter is what the profiler logs of one: file, number and reason.
var unreadInterpreter = regexp.MustCompile(`^Failed to load (.+) \((?:0x)?[0-9a-f]+\): (.+)$`)

// Enabled implements slog.Handler.
func (*logTail) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle implements slog.Handler.
func (t *logTail) Handle(_ context.Context, r slog.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(r.Message)
	if found := unreadInterpreter.FindStringSubmatch(text); found != nil && len(t.unread) < maxUnread {
		if t.unread == nil {
			t.unread = map[string]string{}
		}
		t.unread[found[1]] = found[2]
	}
	if r.Level < slog.LevelError {
		return nil
	}
	t.lines = append(t.lines, text)
	if extra := len(t.lines) - tailLines; extra > 0 {
		t.lines = t.lines[extra:]
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (t *logTail) WithAttrs([]slog.Attr) slog.Handler { return t }

// WithGroup implements slog.Handler.
func (t *logTail) WithGroup(string) slog.Handler { return t }

// suffix is what was logged, for the end of a message; "" when nothing was.
func (t *logTail) suffix() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return " (" + strings.Join(t.lines, "; ") + ")"
}

// warnings say which interpreters' functions are missing, and why. hit tells
// whether samples fall into a file.
func (t *logTail) warnings(hit func(path string) bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, file := range slices.Sorted(maps.Keys(t.unread)) {
		if hit(file) {
			out = append(out, fmt.Sprintf("the functions that %s interprets are not seen: %s", file, t.unread[file]))
		}
	}
	return out
}
