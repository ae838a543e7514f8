package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"whyhot/internal/store/engine"
)

// maxDocument bounds the body of a document.
const maxDocument = 16 << 20

// documents are the current ones.
type documents struct {
	mu sync.Mutex
	by map[[2]string]Document // kind, key
}

func (d *documents) put(doc Document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.by == nil {
		d.by = map[[2]string]Document{}
	}
	at := [2]string{doc.Kind, doc.Key}
	if old, ok := d.by[at]; ok && old.Written.After(doc.Written) {
		return
	}
	d.by[at] = doc
}

func (d *documents) load(b *engine.Block) error {
	kinds, keys, bodies, written := b.Texts("kind"), b.Texts("doc_key"), b.Texts("body"), b.Int64s("written")
	for i := range kinds {
		d.put(Document{Kind: kinds[i], Key: keys[i], Body: []byte(bodies[i]), Written: time.Unix(0, written[i])})
	}
	return nil
}

// rows are those that count, in a fixed order.
func (d *documents) rows() *engine.Block {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := engine.NewBlock(engine.Documents, len(d.by))
	for _, at := range slices.SortedFunc(maps.Keys(d.by), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if doc := d.by[at]; len(doc.Body) > 0 {
			b.Append(doc.Kind, doc.Key, string(doc.Body), doc.Written.UnixNano())
		}
	}
	return b
}

// Documents lists those of a kind, by key. Those with an empty body were removed.
func (s *Store) Documents(kind string) []Document {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	var out []Document
	for at, d := range s.documents.by {
		if at[0] == kind && len(d.Body) > 0 {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Document) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// Document gives one document; ok is false when there is none.
func (s *Store) Document(kind, key string) (d Document, ok bool) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	d, ok = s.documents.by[[2]string{kind, key}]
	return d, ok && len(d.Body) > 0
}

// PutDocument writes a document, which is durable when it returns. An empty body
// removes it.
func (s *Store) PutDocument(ctx context.Context, kind, key string, body []byte) error {
	switch {
	case kind == "" || key == "":
		return errors.New("a document needs a kind and a key")
	case len(body) > maxDocument:
		return ErrTooLarge
	case s.isAway(): // what it would take the place of is not known
		return ErrAway
	}
	d := Document{Kind: kind, Key: key, Body: slices.Clone(body), Written: s.opts.Now()}
	if err := s.append(ctx, recordDocument, appendDocument(d)); err != nil {
		return err
	}
	s.documents.put(d)
	return nil
}
