// Package stage lets whoever bounds a question in time say what it was at when its time
// was over.
//
// It owns a word in a context. Who works on the question enters the stage that begins;
// who waits for the answer reads the last one. It must never decide anything. What is
// entered is shown to who asked: it names no file and no data of others.
package stage

import (
	"context"
	"sync/atomic"
)

type key struct{}

// Stage is the last stage of one question. Several goroutines may use it.
type Stage struct{ last atomic.Pointer[string] }

// Watch gives a context whose stages are told.
func Watch(ctx context.Context) (context.Context, *Stage) {
	s := &Stage{}
	return context.WithValue(ctx, key{}, s), s
}

// Enter says what is done from now on, such as "waiting for the end of a commit". Nobody
// may want to know.
func Enter(ctx context.Context, what string) {
	if s, _ := ctx.Value(key{}).(*Stage); s != nil {
		s.last.Store(&what)
	}
}

// String is what was entered last, "" for nothing.
func (s *Stage) String() string {
	if p := s.last.Load(); p != nil {
		return *p
	}
	return ""
}
