package ebpf

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// logTail keeps the last errors that the profiler logs: its returned errors leave
// out why the kernel refused something.
type logTail struct {
	mu    sync.Mutex
	lines []string
}

var _ slog.Handler = (*logTail)(nil)

const tailLines = 3

// Enabled implements slog.Handler.
func (*logTail) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

// Handle implements slog.Handler.
func (t *logTail) Handle(_ context.Context, r slog.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, strings.TrimSpace(r.Message))
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
