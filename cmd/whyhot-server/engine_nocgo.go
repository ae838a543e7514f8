//go:build !cgo

package main

import (
	"context"
	"errors"

	"whyhot/internal/store/engine"
)

// openEmbedded says that there is no engine in a program built without cgo.
func openEmbedded(context.Context, string, int64) (engine.Engine, error) {
	return nil, errors.New("this whyhot-server was built without cgo, which its store needs; `make server` builds it right")
}
