package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// engine opens the engine of a project: the embedded one in dir, or a database of
// ClickHouse for each project, called after both.
func (f *serveFlags) engine(ctx context.Context, dir, project string) (engine.Engine, error) {
	where := f.where()
	if where == "" {
		return openEmbedded(ctx, dir, f.memory<<20)
	}
	o, err := clickhouse.ParseURL(where)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	o.Database = databaseOf(o.Database, project)
	o.Shared, o.Advertise = f.advertise != "", f.advertise
	return clickhouse.Open(ctx, o)
}

// where is the URL of ClickHouse, "" for the embedded engine.
func (f *serveFlags) where() string { return cmp.Or(f.store, os.Getenv("WHYHOT_STORE")) }

// databaseOf is the name of a project's database. Projects have no underscore in their
// names, so that no two get the same.
func databaseOf(base, project string) string {
	return base + "_" + strings.ReplaceAll(project, "-", "_")
}
