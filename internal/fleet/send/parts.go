package send

import (
	"whyhot/internal/ingest/otlp"
	"whyhot/internal/profile"
)

// MaxRequest is the size up to which a request is left whole: what gRPC servers
// take unless told otherwise, less some room.
const MaxRequest = 4<<20 - 64<<10

// Part is one request.
type Part struct {
	Data    []byte // protobuf, not compressed
	Samples int64  // how often the sampler fired
}

// Parts makes requests of a profile: one, or several where it would be larger
// than limit bytes. resource are attributes of all of them. A single row with its
// stack is not cut further.
func Parts(p *profile.Profile, limit int, resource map[string]string) ([]Part, error) {
	pd, err := otlp.Encode(p)
	if err != nil {
		return nil, err
	}
	for _, r := range pd.ResourceProfiles().All() {
		for k, v := range resource {
			r.Resource().Attributes().PutStr(k, v)
		}
	}
	data, err := otlp.MarshalProto(pd)
	if err != nil {
		return nil, err
	}
	rows := len(p.Samples())
	if len(data) <= limit || rows < 2 {
		return []Part{{Data: data, Samples: p.Count()}}, nil
	}
	// The halves share few stacks, since samples stand in the order of their time.
	at := 0
	first := p.Filtered(func(*profile.Sample) bool { at++; return at <= rows/2 })
	at = 0
	second := p.Filtered(func(*profile.Sample) bool { at++; return at > rows/2 })
	second.Meta.Lost = 0 // it is told once
	parts, err := Parts(first, limit, resource)
	if err != nil {
		return nil, err
	}
	more, err := Parts(second, limit, resource)
	return append(parts, more...), err
}
