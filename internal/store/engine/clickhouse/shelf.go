package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go/proto"
)

// Shelf is a list of texts that several processes add to. Nothing goes from it, or what is older
// than some days. It is in a database of its own, on the first shard, and needs no lease.
type Shelf struct {
	e     *Engine
	table string
	days  int // for which a text stays, 0 for ever
	made  bool
}

// OpenShelf gives the shelf of a name. Nothing is asked yet: the database may be away.
func OpenShelf(o Options, table string) (*Shelf, error) {
	if o.User == "" {
		o.User = "default"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Shelf{e: &Engine{options: o, lost: make(chan struct{})}, table: o.Database + "." + table}, nil
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

// first is the server that has it.
func (s *Shelf) first(ctx context.Context) (*server, error) {
	if len(s.e.shards) == 0 {
		asked := newServer(s.e.options.Address, s.e.options)
		defer asked.close()
		addresses, err := s.e.addresses(ctx, asked)
		if err != nil {
			return nil, err
		}
		s.e.shards = []*server{newServer(addresses[0], s.e.options)}
	}
	first := s.e.shards[0]
	if s.made {
		return first, nil
	}
	version, err := first.version(ctx)
	if err != nil {
		return nil, err
	}
	columns := ") ENGINE = MergeTree"
	if s.days > 0 { // a day goes as a whole
		columns = ", day Date DEFAULT toDate(now())) ENGINE = MergeTree PARTITION BY day"
	}
	for _, sql := range []string{
		"CREATE DATABASE IF NOT EXISTS " + s.e.options.Database,
		fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (text String%s ORDER BY text%s", s.table, columns, durable(version[0], version[1])),
	} {
		if err := first.exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	s.made = true
	return first, nil
}

// Len is how many texts there are, those counted twice that two added.
func (s *Shelf) Len(ctx context.Context) (uint64, error) {
	first, err := s.first(ctx)
	if err != nil {
		return 0, err
	}
	n, err := first.numbers(ctx, "SELECT toUInt64(count()) FROM "+s.table)
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
	return first.texts(ctx, "SELECT DISTINCT text FROM "+s.table)
}

// Add adds texts, all or none; they are durable when it returns.
func (s *Shelf) Add(ctx context.Context, texts []string) error {
	first, err := s.first(ctx)
	if err != nil || len(texts) == 0 {
		return err
	}
	var column proto.ColStr
	column.AppendArr(texts)
	if err := first.insert(ctx, s.e.options.Database, s.table[len(s.e.options.Database)+1:], proto.Input{{Name: "text", Data: &column}}, ""); err != nil || s.days == 0 {
		return err
	}
	return s.forget(ctx, first)
}

// forget drops the days that are over. Several may do it at once: one that is gone is dropped
// without an error.
func (s *Shelf) forget(ctx context.Context, first *server) error {
	old, err := first.texts(ctx, fmt.Sprintf("SELECT DISTINCT toString(day) FROM %s WHERE day < toDate(now()) - %d", s.table, s.days))
	if err != nil {
		return err
	}
	for _, day := range old {
		if err := first.exec(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION '%s'", s.table, day)); err != nil {
			return err
		}
	}
	return nil
}

// Close ends its use.
func (s *Shelf) Close() error { return s.e.Close() }
