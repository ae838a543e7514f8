// Package pyroscope answers queries in the protocol of Pyroscope, so that Grafana's data
// source and profilecli read a project as they read their own server.
//
// It owns the messages of querier.v1, the language of label selectors, and the form of flame
// graphs there. It takes a request and a Store, and gives a message. It must never know about
// tokens, projects or limits: the API asks for those before it calls.
package pyroscope

import (
	"context"
	"errors"
	"fmt"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/store"
)

// Store is what queries are answered from.
type Store interface {
	Labels(ctx context.Context, s store.Selection, by store.Dimension) ([]store.LabelValue, error)
	LabelKeys() []store.LabelKey
	LabelSets(ctx context.Context, s store.Selection, keys []store.Dimension) ([][]string, error)
	Timeline(ctx context.Context, s store.Selection, by store.Dimension, step time.Duration, lines int) (*store.Timeline, error)
	Tree(ctx context.Context, s store.Selection, o store.TreeOptions) (*store.Tree, error)
	Profile(ctx context.Context, s store.Selection) (*profile.Profile, store.Basis, error)
}

// RequestError says what is wrong with a request.
type RequestError struct{ text string }

func (e *RequestError) Error() string { return e.text }

func invalid(format string, args ...any) error {
	return &RequestError{fmt.Sprintf(format, args...)}
}

// ErrUnsupported is the error of a query that the store has no answer to.
var ErrUnsupported = errors.New("not supported")

func unsupported(what string) error { return fmt.Errorf("%w: %s", ErrUnsupported, what) }
