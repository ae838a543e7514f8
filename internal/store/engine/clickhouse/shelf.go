package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// Shelf is a list of texts that several processes add to. Nothing goes from it, or what is older
// than some days. It is in a database of its own, on the first shard, and needs no lease.
type Shelf struct {
	e    *Engine
	name string // of its table
	days int    // for which a text stays, 0 for ever
	made map[*server]bool
}

// OpenShelf gives the shelf of a name. Nothing is asked yet: the database may be away.
func OpenShelf(o Options, table string) (*Shelf, error) {
	if o.User == "" {
		o.User = "default"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Shelf{e: &Engine{options: o, lost: make(chan struct{})}, name: table, made: map[*server]bool{}}, nil
}

// OpenAgeing gives one whose texts stay for so many days at least, and go when one is added
// after that.
func OpenAgeing(o Options, table string, days int) (*Shelf, error) {
	s, err := OpenShelf(o, table)
	if err == nil {
		s.days = days
	}
	return s, err
}

func (s *Shelf) table() string { return s.e.options.Database + "." + s.name }

// first is the server that has it.
func (s *Shelf) first(ctx context.Context) (*shard, error) {
	if len(s.e.shards) == 0 {
		lists, err := addresses(ctx, s.e.options)
		if err != nil {
			return nil, err
		}
		s.e.shards = []*shard{newShard(1, lists[0], s.e.options)}
		s.e.shards[0].watch(ctx)
	}
	first := s.e.shards[0]
	var last error
	for _, r := range first.replicas {
		if has := r.has.Load(); has != nil && !slices.Contains(*has, s.name) {
			delete(s.made, r) // it lost its disk, or was not asked since
		}
		if s.made[r] || r.away.Load() {
			continue
		}
		// A replica that is away gets the table when it is back.
		if last = s.make(ctx, first, r); last != nil && !errors.Is(last, engine.ErrAway) {
			return nil, last
		}
	}
	if len(s.made) == 0 {
		return nil, cmp.Or(last, fmt.Errorf("the ClickHouse server %s: %w", first.addresses(), engine.ErrAway))
	}
	return first, nil
}

func (s *Shelf) make(ctx context.Context, first *shard, r *server) error {
	version, err := r.version(ctx)
	if err != nil {
		return err
	}
	m, columns, partition := s.e.making(first, r, version), "text String", ""
	if s.days > 0 { // a day goes as a whole
		columns, partition = columns+", day Date DEFAULT toDate(now())", " PARTITION BY day"
	}
	for _, sql := range []string{
		"CREATE DATABASE IF NOT EXISTS " + s.e.options.Database,
		m.table(s.name, columns, "text", partition),
	} {
		if err := r.exec(ctx, sql); err != nil {
			return err
		}
	}
	s.made[r] = true
	return nil
}

// Len is how many texts there are, those counted twice that two added.
func (s *Shelf) Len(ctx context.Context) (uint64, error) {
	first, err := s.first(ctx)
	if err != nil {
		return 0, err
	}
	n, err := first.numbers(ctx, "SELECT toUInt64(count()) FROM "+s.table())
	if err != nil || len(n) == 0 {
		return 0, err
	}
	return n[0], nil
}

// All gives the texts, each once.
func (s *Shelf) All(ctx context.Context) ([]string, error) {
	first, err := s.first(ctx)
	if err != nil {
		return nil, err
	}
	return first.texts(ctx, "SELECT DISTINCT text FROM "+s.table())
}

// Add adds texts, all or none; they are durable when it returns.
func (s *Shelf) Add(ctx context.Context, texts []string) error {
	first, err := s.first(ctx)
	if err != nil || len(texts) == 0 {
		return err
	}
	var column proto.ColStr
	column.AppendArr(texts)
	wrote := first.lead()
	if err := wrote.insert(ctx, s.e.options.Database, s.name, proto.Input{{Name: "text", Data: &column}}, ""); err != nil {
		return err
	}
	if first.several() { // what one replica alone has is not there while that one is away
		count := "SELECT toUInt64(count()) FROM " + s.table()
		n, err := wrote.numbers(ctx, count)
		if err == nil && len(n) > 0 {
			err = first.present(ctx, count, n[0])
		}
		if err != nil {
			return err
		}
	}
	if s.days == 0 {
		return nil
	}
	return s.forget(ctx, first)
}

// forget drops the days that are over. Several may do it at once: one that is gone is dropped
// without an error.
func (s *Shelf) forget(ctx context.Context, first *shard) error {
	old, err := first.texts(ctx, fmt.Sprintf("SELECT DISTINCT toString(day) FROM %s WHERE day < toDate(now()) - %d", s.table(), s.days))
	if err != nil {
		return err
	}
	for _, day := range old {
		if err := first.exec(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION '%s'", s.table(), day)); err != nil {
			return err
		}
	}
	return nil
}

// Close ends its use.
func (s *Shelf) Close() error { return s.e.Close() }
