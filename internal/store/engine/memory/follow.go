package memory

import (
	"context"

	"whyhot/internal/store/engine"
)

var _ engine.Follower = (*Engine)(nil)

// Now implements engine.Follower.
func (e *Engine) Now(context.Context) (engine.Mark, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return engine.Mark{Generation: e.generation, Commit: e.commit}, nil
}

// Added implements engine.Tail. The place of a row is its number in its table.
func (e *Engine) Added(ctx context.Context, from engine.Mark, yield func(*engine.Block) error) (engine.Mark, error) {
	if err := ctx.Err(); err != nil {
		return from, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	to := engine.Mark{Generation: e.generation, Commit: e.commit, Last: map[string]engine.Place{}}
	if from.Last != nil && from.Generation != to.Generation {
		return from, engine.ErrRewritten
	}
	for _, t := range engine.Tables() {
		if t.Timed {
			continue
		}
		seen := 0
		for _, b := range e.blocks[t] {
			begin := int(from.Last[t.Name].Row) - seen
			seen += b.Len()
			if begin >= b.Len() {
				continue
			}
			if err := yield(rows(b, func(i int) bool { return i >= begin })); err != nil {
				return from, err
			}
		}
		to.Last[t.Name] = engine.Place{Commit: e.commit, Row: uint32(seen)}
	}
	return to, nil
}
