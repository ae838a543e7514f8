package store

import (
	"context"
	"errors"
	"fmt"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/columns"
	"whyhot/internal/store/journal"
)

// handed are records on their way from one server's journal to another's.
type handed struct {
	kinds []uint8
	data  []string
	bytes int
}

func (h *handed) add(r journal.Record) {
	h.kinds, h.data = append(h.kinds, r.Kind), append(h.data, string(r.Data))
	h.bytes += len(r.Data) + 1
}

func (h *handed) encode() []byte { return columns.Append(nil, h.kinds, h.data) }

// Receive takes records that another server's store hands over (see Share). They are durable
// when it returns without an error. It is ErrAway where the engine is not here: then nothing
// counts as taken that another server must still keep.
func (s *Store) Receive(ctx context.Context, records []byte) error {
	var h handed
	if _, err := columns.Read(records, &h.kinds, &h.data); err != nil {
		return &BatchError{Err: err}
	}
	if len(h.kinds) != len(h.data) {
		return &BatchError{Err: errors.New("the records are damaged")}
	}
	for i, kind := range h.kinds {
		if err := s.receive(ctx, kind, []byte(h.data[i])); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) receive(ctx context.Context, kind byte, data []byte) error {
	switch kind {
	case recordBatch, recordBlindBatch:
		b, err := batch.Read(data)
		if err != nil {
			return &BatchError{Err: err}
		}
		_, err = s.accept(ctx, b, true)
		return err
	case recordDocument:
		d, err := readDocument(data)
		if err != nil {
			return &BatchError{Err: err}
		}
		s.away.taking.RLock()
		defer s.away.taking.RUnlock()
		if s.isAway() {
			return s.unanswered()
		}
		if err := s.append(ctx, recordDocument, data); err != nil {
			return err
		}
		s.documents.put(d)
		return nil
	}
	return &BatchError{Err: fmt.Errorf("records of kind %d are not taken from another server", kind)}
}
