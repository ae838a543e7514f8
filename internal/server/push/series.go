package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// Series are profiles with labels in common, as Pyroscope's and Parca's requests hold
// them.
type Series struct {
	Labels   map[string]string
	Profiles []Raw
}

// Raw is the bytes of one pprof file.
type Raw struct {
	Data []byte
	ID   string // "" where the protocol has none
}

// Bounds on a request.
const (
	maxSeriesOf  = 1000
	maxLabelsOf  = 128
	maxProfileOf = 1000
)

// ReadPyroscope reads Pyroscope's PushRequest (push.v1, api/push/v1/push.proto).
func ReadPyroscope(data []byte) ([]Series, error) {
	return readSeries(data, 1, addLabel)
}

// ReadParca reads Parca's WriteRawRequest (parca.profilestore.v1alpha1).
func ReadParca(data []byte) ([]Series, error) {
	return readSeries(data, 2, func(inner []byte, s *Series) error {
		return eachBytes(inner, func(n protowire.Number, label []byte) error {
			if n != 1 {
				return nil
			}
			return addLabel(label, s)
		})
	})
}

// readSeries reads a request whose series are its field number field. In both protocols
// a series has labels as field 1 and profiles as field 2.
func readSeries(data []byte, field protowire.Number, labels func(inner []byte, s *Series) error) ([]Series, error) {
	var out []Series
	err := eachBytes(data, func(n protowire.Number, inner []byte) error {
		if n != field {
			return nil
		}
		if len(out) == maxSeriesOf {
			return fmt.Errorf("there are more than %d series in the request", maxSeriesOf)
		}
		s := Series{Labels: map[string]string{}}
		err := eachBytes(inner, func(n protowire.Number, inner []byte) error {
			switch int(n) {
			case 1:
				return labels(inner, &s)
			case 2:
				return addProfile(inner, &s)
			}
			return nil
		})
		out = append(out, s)
		return err
	})
	return out, err
}

// addLabel reads a pair of a name (1) and a value (2).
func addLabel(data []byte, s *Series) error {
	var name, value string
	err := eachBytes(data, func(n protowire.Number, inner []byte) error {
		switch int(n) {
		case 1:
			name = string(inner)
		case 2:
			value = string(inner)
		}
		return nil
	})
	if len(s.Labels) == maxLabelsOf {
		return fmt.Errorf("a series has more than %d labels", maxLabelsOf)
	}
	s.Labels[name] = value
	return err
}

// addProfile reads the bytes of a profile (1) and its ID (2).
func addProfile(data []byte, s *Series) error {
	var raw Raw
	err := eachBytes(data, func(n protowire.Number, inner []byte) error {
		switch int(n) {
		case 1:
			raw.Data = inner
		case 2:
			raw.ID = string(inner)
		}
		return nil
	})
	if len(s.Profiles) == maxProfileOf {
		return fmt.Errorf("a series has more than %d profiles", maxProfileOf)
	}
	s.Profiles = append(s.Profiles, raw)
	return err
}

// eachBytes calls f with every field of bytes of a message.
func eachBytes(data []byte, f func(n protowire.Number, inner []byte) error) error {
	for len(data) > 0 {
		n, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return fmt.Errorf("no protobuf message: %w", protowire.ParseError(size))
		}
		data = data[size:]
		if kind != protowire.BytesType {
			if size = protowire.ConsumeFieldValue(n, kind, data); size < 0 {
				return fmt.Errorf("no protobuf message: %w", protowire.ParseError(size))
			}
			data = data[size:]
			continue
		}
		inner, size := protowire.ConsumeBytes(data)
		if size < 0 {
			return fmt.Errorf("no protobuf message: %w", protowire.ParseError(size))
		}
		if err := f(n, inner); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// maxID bounds the identity of a profile that others give.
const maxID = 64

// AppendSeries stores the CPU profiles of series, and passes over those of other things.
// The error is that of the first profile that is malformed or that could not be stored;
// those before it are.
func AppendSeries(ctx context.Context, to project.Store, all []Series, most int64, now time.Time, counted Counted) (passedOver int, err error) {
	for _, s := range all {
		if !isCPU(s.Labels) {
			passedOver += len(s.Profiles)
			continue
		}
		for _, raw := range s.Profiles {
			p := Profile{Labels: labelsOf(s.Labels)}
			if raw.ID != "" && len(raw.ID) <= maxID {
				p.ID = raw.ID
			}
			receipt, err := Append(ctx, to, bytes.NewReader(raw.Data), p, most, now)
			if notCPU(err) {
				passedOver++
				continue
			}
			counted(receipt, err)
			if err != nil {
				return passedOver, err
			}
		}
	}
	return passedOver, nil
}

// notCPU says that an error is that of a sound profile of something else.
func notCPU(err error) bool {
	var wrong *store.BatchError
	var other *batchKindError
	return errors.As(err, &wrong) && errors.As(err, &other)
}

// batchKindError is the error of a profile that was read and that is no CPU time.
type batchKindError struct{ err error }

func (e *batchKindError) Error() string { return e.err.Error() }
func (e *batchKindError) Unwrap() error { return e.err }
