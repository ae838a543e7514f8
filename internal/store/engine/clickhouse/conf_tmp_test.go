package clickhouse_test

import (
	"context"
	"slices"
	"testing"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
	"whyhot/internal/store/engine/enginetest"
)

func TestConfTmp(t *testing.T) {
	r := withReplicas(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Backend {
		o := r.options(t)
		return enginetest.Backend{Open: func() (engine.Engine, error) {
			e, err := clickhouse.Open(context.WithoutCancel(t.Context()), o)
			if err != nil {
				return nil, err
			}
			return e, nil
		}, Newer: func(t *testing.T) { run(t, r.replicas[0][0], "INSERT INTO "+o.Database+".store_version SELECT toUInt64(99)") },
			Damage: func(t *testing.T) {
				for _, s := range slices.Concat(r.replicas...) {
					run(t, s, "DROP TABLE "+o.Database+".samples_local")
				}
			}, Piecemeal: true}
	})
}
