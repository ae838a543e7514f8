//go:build cgo

package main

import (
	"context"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

// openEmbedded opens the engine of a project in dir.
func openEmbedded(_ context.Context, dir string, memory int64) (engine.Engine, error) {
	return duckdb.Open(dir, duckdb.Options{Memory: memory}) //nolint:contextcheck // it is open before anything could be waited for
}
