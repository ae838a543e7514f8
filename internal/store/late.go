package store

import (
	"context"
	"fmt"
	"sync/atomic"

	"whyhot/internal/store/engine"
)

// late is the engine of a store, which may come after the store was opened: until then all
// that it is asked is ErrAway.
type late struct{ of atomic.Pointer[engine.Engine] }

func (l *late) have(e engine.Engine) { l.of.Store(&e) }

// lose gives the engine back, which is nobody's then.
func (l *late) lose() engine.Engine {
	if e := l.of.Swap(nil); e != nil {
		return *e
	}
	return nil
}

func (l *late) now() (engine.Engine, error) {
	if e := l.of.Load(); e != nil {
		return *e, nil
	}
	return nil, fmt.Errorf("%w: it is not there yet, or not any more", engine.ErrAway)
}

func (l *late) Commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	e, err := l.now()
	if err != nil {
		return err
	}
	return e.Commit(ctx, number, blocks)
}

func (l *late) Committed() uint64 {
	e, err := l.now()
	if err != nil {
		return 0
	}
	return e.Committed()
}

func (l *late) Scan(ctx context.Context, t *engine.Table, from, to uint32, yield func(*engine.Block) error) error {
	e, err := l.now()
	if err != nil {
		return err
	}
	return e.Scan(ctx, t, from, to, yield)
}

func (l *late) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	e, err := l.now()
	if err != nil {
		return nil, err
	}
	return e.Sum(ctx, q)
}

func (l *late) Drop(ctx context.Context, t *engine.Table, before uint32) error {
	e, err := l.now()
	if err != nil {
		return err
	}
	return e.Drop(ctx, t, before)
}

func (l *late) Replace(ctx context.Context, blocks []*engine.Block) error {
	e, err := l.now()
	if err != nil {
		return err
	}
	return e.Replace(ctx, blocks)
}

func (l *late) Compact(ctx context.Context, all bool) error {
	e, err := l.now()
	if err != nil {
		return err
	}
	return e.Compact(ctx, all)
}

func (l *late) Stats(ctx context.Context) ([]engine.TableStats, error) {
	e, err := l.now()
	if err != nil {
		return nil, err
	}
	return e.Stats(ctx)
}

func (l *late) Close() error {
	e, err := l.now()
	if err != nil {
		return nil //nolint:nilerr // there is none to close
	}
	return e.Close()
}
