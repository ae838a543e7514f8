package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/access/shared"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// engine opens the engine of a project: the embedded one in dir, or a database of
// ClickHouse for each project, called after both.
func (f *serveFlags) engine(ctx context.Context, dir, project string) (engine.Engine, error) {
	if f.where() == "" {
		return openEmbedded(ctx, dir, f.memory<<20)
	}
	o, err := f.database(project)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(ctx, o)
}

// follower opens the database of a project for reading, while another server writes to it.
func (f *serveFlags) follower(ctx context.Context, project string) (engine.Follower, error) {
	o, err := f.database(project)
	if err != nil {
		return nil, err
	}
	r, err := clickhouse.OpenReader(ctx, o)
	if err != nil {
		return nil, err // and not a nil pointer in an interface
	}
	return r, nil
}

// tokens are those that the servers share: in the database that --store names, beside those of
// the projects, whose names are longer.
func (f *serveFlags) tokens(data, secret string, log *slog.Logger) (*shared.Tokens, error) {
	o, err := clickhouse.ParseURL(f.where())
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	o.Log = log
	shelf, err := clickhouse.OpenShelf(o, "tokens")
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return shared.New(data, shelf, secret, log), nil
}

// ended are the sessions that were ended on any of the servers.
func (f *serveFlags) ended(list *session.Ended, secret string, log *slog.Logger) (*shared.Ended, error) {
	o, err := clickhouse.ParseURL(f.where())
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	const day = 24 * time.Hour
	shelf, err := clickhouse.OpenAgeing(o, "sessions", int(session.Longest/day)+1)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return shared.NewEnded(list, shelf, secret, log), nil
}

// ownerFile has the mark of this data directory in an object store.
const ownerFile = "debuginfo.owner"

// marks are those that files in an object store may have: that of the data directory, and of
// servers that share a database those of all of them, which are in a list there.
func (f *serveFlags) marks(data string, shared bool) (func(context.Context) ([]string, error), error) {
	path := filepath.Join(data, ownerFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text())
		if err = os.MkdirAll(data, 0o700); err == nil { // at the first start there is none yet
			err = wholefile.WriteDurably(path, 0o600, wholefile.Bytes(text))
		}
	}
	mine := strings.TrimSpace(string(text))
	if err == nil && (mine == "" || len(mine) > 100) {
		err = fmt.Errorf("%s: must have one line", path)
	}
	if err != nil {
		return nil, err
	}
	if !shared {
		return func(context.Context) ([]string, error) { return []string{mine}, nil }, nil
	}
	return func(ctx context.Context) (all []string, err error) {
		o, err := clickhouse.ParseURL(f.where())
		if err != nil {
			return nil, fmt.Errorf("--store: %w", err)
		}
		shelf, err := clickhouse.OpenShelf(o, "owners")
		if err != nil {
			return nil, fmt.Errorf("--store: %w", err)
		}
		defer func() { err = errors.Join(err, shelf.Close()) }()
		if all, err = shelf.All(ctx); err != nil {
			return nil, err
		}
		if !slices.Contains(all, mine) {
			if err := shelf.Add(ctx, []string{mine}); err != nil {
				return nil, err
			}
			all = append(all, mine)
		}
		return append([]string{mine}, all...), nil
	}, nil
}

func (f *serveFlags) database(project string) (clickhouse.Options, error) {
	o, err := clickhouse.ParseURL(f.where())
	if err != nil {
		return o, fmt.Errorf("--store: %w", err)
	}
	o.Database, o.Log = databaseOf(o.Database, project), f.log
	o.Shared, o.Advertise = f.advertise != "", f.advertise
	return o, nil
}

// where is the URL of ClickHouse, "" for the embedded engine.
func (f *serveFlags) where() string { return cmp.Or(f.store, os.Getenv("WHYHOT_STORE")) }

// databaseOf is the name of a project's database. Projects have no underscore in their
// names, so that no two get the same.
func databaseOf(base, project string) string {
	return base + "_" + strings.ReplaceAll(project, "-", "_")
}
