package project

import (
	"context"
	"encoding/json"
	"fmt"
)

// Read gives all documents of a kind, by key.
func Read[T any](p *Project, kind string) (map[string]T, error) {
	out := map[string]T{}
	for _, d := range p.Documents(kind) {
		var one T
		if err := json.Unmarshal(d.Body, &one); err != nil {
			return nil, fmt.Errorf("the document %s %q cannot be read: %w", kind, d.Key, err)
		}
		out[d.Key] = one
	}
	return out, nil
}

// Put writes a document, in place of the one with the same key.
func (p *Project) Put(ctx context.Context, kind, key string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.PutDocument(ctx, kind, key, body)
}

// Remove takes a document away.
func (p *Project) Remove(ctx context.Context, kind, key string) error {
	return p.PutDocument(ctx, kind, key, nil)
}
