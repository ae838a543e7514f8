package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// pyroscope speaks the Connect protocol with Pyroscope: push.v1 and querier.v1. It has
// one kind of answer for all three questions, a flame graph of the largest nodes: its
// page makes the list of functions, and callers and callees of one, of that.
type pyroscope struct{ address string }

func (p *pyroscope) call(ctx context.Context, method string, m message) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+method, bytes.NewReader(m))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/proto")
	return call(req)
}

func (p *pyroscope) push(ctx context.Context, f file, data []byte) error {
	var series message
	for _, l := range [][2]string{{"__name__", "process_cpu"}, {"service_name", f.service}, {"container", f.container}} {
		series = series.bytes(1, message(nil).text(1, l[0]).text(2, l[1]))
	}
	series = series.bytes(2, message(nil).bytes(1, data))
	_, err := p.call(ctx, "/push.v1.PusherService/Push", message(nil).bytes(1, series))
	return err
}

func (p *pyroscope) ask(ctx context.Context, q question) (answer, error) {
	selector := "{}"
	if q.service != "" {
		selector = fmt.Sprintf("{service_name=%q}", q.service)
	}
	data, err := p.call(ctx, "/querier.v1.QuerierService/SelectMergeStacktraces", message(nil).
		text(1, "process_cpu:cpu:nanoseconds:cpu:nanoseconds").text(2, selector).number(3, q.from.UnixMilli()).number(4, q.to.UnixMilli()))
	if err != nil {
		return answer{}, err
	}
	a := answer{bytes: len(data)}
	var names []string
	self := map[int64]int64{}
	level := func(inner []byte) error {
		return fields(inner, func(_ protowire.Number, _ int64, packed []byte) error {
			values, err := numbers(packed)
			// A node is its offset, total, self and name.
			for node := range slices.Chunk(values, 4) {
				if len(node) == 4 {
					self[node[3]] += node[2]
					a.nodes++
				}
			}
			return err
		})
	}
	err = fields(data, func(field protowire.Number, _ int64, inner []byte) error {
		if field != 1 {
			return nil
		}
		return fields(inner, func(field protowire.Number, number int64, inner []byte) error {
			switch field {
			case 1:
				names = append(names, string(inner))
			case 2:
				return level(inner)
			case 3:
				a.total = number
			}
			return nil
		})
	})
	if q.kind == top {
		for i, n := range self {
			if i >= 0 && i < int64(len(names)) {
				a.hottest = append(a.hottest, hot{names[i], n})
			}
		}
		slices.SortFunc(a.hottest, func(x, y hot) int { return cmp.Or(cmp.Compare(y.self, x.self), cmp.Compare(x.name, y.name)) })
	}
	return a, err
}
