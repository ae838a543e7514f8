// Package gap lets whoever puts a question know what is missing in its answer.
//
// It owns a list in a context. Whoever reads an answer of the engine in which parts are
// missing notes them; whoever shows the answer says so. It takes and gives names such as
// "shard 2 of 2", which name no machine. It must never decide whether an answer is good
// enough.
package gap

import (
	"context"
	"slices"
	"sync"
)

type key struct{}

// Gap is what is missing in the answer to one question. Several goroutines may use it.
type Gap struct {
	mu    sync.Mutex
	parts []string
}

// Watch gives a context in which what is missing is noted.
func Watch(ctx context.Context) (context.Context, *Gap) {
	g := &Gap{}
	return context.WithValue(ctx, key{}, g), g
}

// Note says what is missing. Nobody may want to know.
func Note(ctx context.Context, parts []string) {
	g, _ := ctx.Value(key{}).(*Gap)
	if g == nil || len(parts) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range parts {
		if !slices.Contains(g.parts, p) {
			g.parts = append(g.parts, p)
		}
	}
	slices.Sort(g.parts)
}

// Parts are what was noted, sorted, each once.
func (g *Gap) Parts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.parts)
}
