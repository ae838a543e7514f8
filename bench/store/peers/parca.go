package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/ingest/otlp/rawcodec"
)

// parca speaks gRPC with Parca: WriteRaw of parca.profilestore.v1alpha1, and Query of
// parca.query.v1alpha1, as its page does. The numbers of fields and reports are those of
// its .proto files.
type parca struct{ conn *grpc.ClientConn }

func dialParca(address string) (*parca, error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawcodec.Codec{}), grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30)))
	return &parca{conn}, err
}

func (p *parca) invoke(ctx context.Context, method string, m message) ([]byte, error) {
	var reply []byte
	err := p.conn.Invoke(ctx, method, []byte(m), &reply)
	if code := status.Code(err); code == codes.ResourceExhausted || code == codes.Unavailable {
		err = errors.Join(errBusy, err)
	}
	return reply, err
}

func (p *parca) push(ctx context.Context, f file, data []byte) error {
	var labels message
	for _, l := range [][2]string{{"__name__", "process_cpu"}, {"service_name", f.service}, {"container", f.container}} {
		labels = labels.bytes(1, message(nil).text(1, l[0]).text(2, l[1]))
	}
	series := message(nil).bytes(1, labels).bytes(2, message(nil).bytes(1, data))
	_, err := p.invoke(ctx, "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", message(nil).bytes(2, series))
	return err
}

// Reports of Parca.
const (
	reportTop        = 2
	reportFlameArrow = 5
)

// trim is the share in percent that Parca's page leaves out: a pixel of 1500.
const trim = 100.0 / 1500

func (p *parca) ask(ctx context.Context, q question) (answer, error) {
	selector := "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta"
	if q.service != "" {
		selector += fmt.Sprintf("{service_name=%q}", q.service)
	}
	stamp := func(t time.Time) message { return message(nil).number(1, t.Unix()) }
	const merge = 2
	base := message(nil).number(1, merge).bytes(3, message(nil).text(1, selector).bytes(2, stamp(q.from)).bytes(3, stamp(q.to)))
	if q.kind == top {
		return p.query(ctx, base.number(5, reportTop))
	}
	byFunction := message(nil).text(1, "function_name")
	base = base.number(5, reportFlameArrow).float(7, trim).bytes(8, byFunction)
	if q.kind == flame {
		return p.query(ctx, base)
	}
	// A function between its callers and callees: the page asks for the two halves.
	base = base.text(13, q.function)
	callees, err := p.query(ctx, slices.Clone(base).number(11, 0))
	if err != nil {
		return answer{}, err
	}
	callers, err := p.query(ctx, slices.Clone(base).number(11, 1))
	callers.bytes += callees.bytes
	return callers, err
}

func (p *parca) query(ctx context.Context, m message) (answer, error) {
	data, err := p.invoke(ctx, "/parca.query.v1alpha1.QueryService/Query", m)
	if err != nil {
		return answer{}, err
	}
	a := answer{bytes: len(data)}
	err = fields(data, func(field protowire.Number, number int64, inner []byte) error {
		switch field {
		case 9, 10: // shown, and what filters left out
			a.total += number
		case 7:
			return fields(inner, func(field protowire.Number, _ int64, inner []byte) error {
				if field != 1 {
					return nil
				}
				a.nodes++
				h, err := topNode(inner)
				a.hottest = append(a.hottest, h)
				return err
			})
		}
		return nil
	})
	slices.SortStableFunc(a.hottest, func(x, y hot) int { return cmp.Compare(y.self, x.self) })
	return a, err
}

// topNode reads a row of the list of functions: its own time (3) and, in meta (1), its
// function (3) with a name (3).
func topNode(data []byte) (hot, error) {
	var h hot
	err := fields(data, func(field protowire.Number, number int64, inner []byte) error {
		switch field {
		case 3:
			h.self = number
		case 1:
			return fields(inner, func(field protowire.Number, _ int64, inner []byte) error {
				if field != 3 {
					return nil
				}
				return fields(inner, func(field protowire.Number, _ int64, inner []byte) error {
					if field == 3 {
						h.name = string(inner)
					}
					return nil
				})
			})
		}
		return nil
	})
	return h, err
}
