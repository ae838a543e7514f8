package clickhouse_test

import (
	"context"
	"testing"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
	"whyhot/internal/store/engine/enginetest"
)

func TestConformance(t *testing.T) {
	for _, kind := range []struct{ name, cluster string }{{"TwoShards", cluster}, {"OneServer", ""}} {
		t.Run(kind.name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) enginetest.Backend {
				o := clickhouse.Options{Address: servers(t)[0].address(), Database: database(t), Cluster: kind.cluster}
				t.Cleanup(func() {
					for _, s := range shards {
						dropped(t, s, o.Database)
					}
				})
				return enginetest.Backend{
					Open: func() (engine.Engine, error) {
						e, err := clickhouse.Open(context.WithoutCancel(t.Context()), o)
						if err != nil {
							return nil, err
						}
						return e, nil
					},
					Newer:     func(t *testing.T) { run(t, shards[0], "INSERT INTO "+o.Database+".store_version SELECT toUInt64(99)") },
					Damage:    func(t *testing.T) { run(t, shards[0], "DROP TABLE "+o.Database+".samples_local") },
					Piecemeal: true,
				}
			})
		})
	}
}

// run runs a statement on a server.
func run(t *testing.T, s *shard, sql string) {
	t.Helper()
	if err := do(t, s, sql); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, s *shard, sql string) error {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // also when the test has ended
	c, err := ch.Dial(ctx, ch.Options{Address: s.address(), ProtocolVersion: 54031})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Do(ctx, ch.Query{Body: sql})
}

// ask gives the one text that a query answers with.
func ask(t *testing.T, s *shard, sql string) string {
	t.Helper()
	c, err := ch.Dial(t.Context(), ch.Options{Address: s.address(), ProtocolVersion: 54031})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var text proto.ColStr
	out := ""
	if err := c.Do(t.Context(), ch.Query{Body: sql, Result: proto.ResultColumn{Data: &text}, OnResult: func(context.Context, proto.Block) error {
		if text.Rows() > 0 {
			out = text.Row(0)
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Each host of a list has a port.
func TestPortOfEachHost(t *testing.T) {
	for text, want := range map[string]string{
		"clickhouse://u@one/shop":                                          "one:9000",
		"clickhouse://u@one,two/shop?cluster=c&keeper=k:2181":              "one:9000,two:9000",
		"clickhouse://u@one:1,two/shop?cluster=c&keeper=k:2181":            "", // it is no URL
		"clickhouse://u@one,two:1/shop?cluster=c&keeper=k:1&secure=true":   "one:9440,two:1",
		"clickhouse://u@[::1]/shop":                                        "[::1]:9000",
		"clickhouse://u@one,,two/shop?cluster=c&keeper=k:2181&secure=true": "",
	} {
		o, err := clickhouse.ParseURL(text)
		if o.Address != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, o.Address, err)
		}
	}
}
