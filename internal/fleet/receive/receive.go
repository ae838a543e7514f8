package receive

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"

	"whyhot/internal/ingest/otlp"
	"whyhot/internal/profile"
)

// Batch is one request that was understood.
type Batch struct {
	ID      string // the sender's identity of the batch (send.BatchHeader), "" where it gave none
	Profile *profile.Profile
	Bytes   int // of the request, decompressed
}

// Handler takes a batch. The sender is told that it has arrived when the handler
// returns nil, and the warnings beside; to come again later when it returns an error,
// or never with it when that is one of Refuse. Several goroutines may call it.
type Handler func(ctx context.Context, b Batch) (warnings []string, err error)

// Refuse makes of what is wrong with a batch the error that has the sender give it up.
func Refuse(err error) error { return &refusedError{err} }

type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// Options bound what clients may ask for. Zero values are the defaults.
type Options struct {
	MaxMessage int           // bytes of a request, decompressed; 16 MiB
	MaxParsed  int           // bytes that its parsed form may take; 16 × MaxMessage
	Slots      int           // requests at a time; one a processor, two at least
	SlotWait   time.Duration // for a slot; 2 s
	ReadTime   time.Duration // from the first byte of a request to its last; 30 s
	MaxClients int           // connections; 1024
	TLS        *tls.Config   // nil: none
	// Intercept judges gRPC calls, also those of Services, before anything of them is
	// read; nil lets all of them pass. Who serves HTTP does the same before ServeHTTP.
	Intercept grpc.StreamServerInterceptor
	// Services are registered beside the protocol's own, on the gRPC listener. Their
	// messages are bytes (see rawcodec), under the same limits of size.
	Services []func(grpc.ServiceRegistrar)
}

func (o Options) withDefaults() Options {
	if o.MaxMessage == 0 {
		o.MaxMessage = 16 << 20
	}
	if o.MaxParsed == 0 {
		o.MaxParsed = 16 * o.MaxMessage
	}
	if o.Slots == 0 {
		o.Slots = max(2, runtime.GOMAXPROCS(0))
	}
	if o.SlotWait == 0 {
		o.SlotWait = 2 * time.Second
	}
	if o.ReadTime == 0 {
		o.ReadTime = 30 * time.Second
	}
	if o.MaxClients == 0 {
		o.MaxClients = 1024
	}
	return o
}

// Server takes requests for a handler.
type Server struct {
	opts   Options
	handle Handler
	slots  chan struct{}
}

// New makes a server; ServeGRPC and ServeHTTP serve one listener each.
func New(o Options, h Handler) *Server {
	o = o.withDefaults()
	return &Server{opts: o, handle: h, slots: make(chan struct{}, o.Slots)}
}

// Memory is how many bytes the requests under way may hold together.
func (s *Server) Memory() int64 {
	return int64(s.opts.Slots) * (int64(s.opts.MaxMessage) + int64(s.opts.MaxParsed))
}

// comeAgain is when a client that was sent away is asked to try again.
const comeAgain = time.Second

var (
	errBusy = errors.New("all slots for requests are in use")
	errSlow = errors.New("the request took too long to arrive")
)

// acquire waits for a slot.
func (s *Server) acquire(ctx context.Context) error {
	timer := time.NewTimer(s.opts.SlotWait)
	defer timer.Stop()
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return errBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) release() { <-s.slots }

// malformedError says what is wrong with a request: it will never be taken.
type malformedError struct{ err error }

func (e *malformedError) Error() string { return "malformed OTLP profiles: " + e.err.Error() }
func (e *malformedError) Unwrap() error { return e.err }

// tooLargeError says by what a request is too large.
type tooLargeError struct{ err error }

func (e *tooLargeError) Error() string { return e.err.Error() }
func (e *tooLargeError) Unwrap() error { return e.err }

// maxBatchID bounds the identity of a batch.
const maxBatchID = 64

// checkBatchID refuses an identity that could not serve as part of a file's name.
func checkBatchID(id string) error {
	if len(id) > maxBatchID || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" {
		return &malformedError{fmt.Errorf("the ID of the batch must be at most %d letters, digits, - and _", maxBatchID)}
	}
	return nil
}

// sender is what a request's metadata say.
type sender struct {
	batch     string // the identity of the batch, "" for none
	versioned bool   // it names the version of the protocol
}

// judged turns what checkBounds or checkText found into the answer. A field that is
// not known is what a newer sender may add, when it says that it keeps to our
// version; one that says nothing speaks a version from before versions were named,
// whose fields meant something else.
func (from sender) judged(unknown string, err error) error {
	switch {
	case errors.Is(err, errMemory):
		return &tooLargeError{err}
	case err != nil:
		return &malformedError{err}
	case unknown != "" && !from.versioned:
		return from.malformed(fmt.Errorf("%s is not known", unknown))
	}
	return nil
}

// malformed is the answer to a request that is well-formed protobuf or JSON, and yet
// no profiles. Versions of the protocol before they were named look like that.
func (from sender) malformed(err error) error {
	if !from.versioned {
		err = fmt.Errorf("%w; does the sender use another version of the protocol? development version %s is supported (OpenTelemetry Collector 0.150 or later)", err, pprofileotlp.DevelopmentVersion)
	}
	return &malformedError{err}
}

// take judges the bytes of a request and gives what they hold to the handler. The
// warning is what the sender should know although the request was taken.
func (s *Server) take(ctx context.Context, from sender, data []byte) (warning string, err error) {
	if err := checkBatchID(from.batch); err != nil {
		return "", err
	}
	if err := from.judged(checkBounds(data, s.opts.MaxParsed)); err != nil {
		return "", err
	}
	pd, err := otlp.ParseProto(data)
	if err != nil {
		return "", from.malformed(err)
	}
	p, err := otlp.Decode(ctx, pd, otlp.Options{})
	switch {
	case errors.Is(err, otlp.ErrEmpty):
		return "", nil // the protocol has such requests taken
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", from.malformed(err)
	}
	if err := s.checkFrames(p); err != nil {
		return "", err
	}
	warnings, err := s.handle(ctx, Batch{ID: from.batch, Profile: p, Bytes: len(data)})
	if err != nil {
		return "", err
	}
	return strings.Join(append(slices.Clip(p.Meta.Warnings), warnings...), "; "), nil
}

// checkFrames refuses a profile of few bytes whose samples share so long a stack that
// whoever writes them down, one by one, would write very much.
func (s *Server) checkFrames(p *profile.Profile) error {
	frames := 0
	for i := range p.Samples() {
		if frames += len(p.Stack(p.Samples()[i].Stack)); frames > s.opts.MaxMessage {
			return &tooLargeError{fmt.Errorf("its samples have more than %d frames together; send smaller batches", s.opts.MaxMessage)}
		}
	}
	return nil
}

// takeJSON is take for the JSON form.
func (s *Server) takeJSON(ctx context.Context, from sender, text []byte) (warning string, err error) {
	if err := from.judged(checkText(text, s.opts.MaxParsed)); err != nil {
		return "", err
	}
	pd, err := otlp.ParseJSON(text)
	if err != nil {
		return "", from.malformed(err)
	}
	data, err := toProto(pd)
	if err != nil {
		return "", &malformedError{err}
	}
	return s.take(ctx, from, data)
}

// toProto gives the protobuf form, which the bounds are checked on. pdata follows
// references without checking all of them.
func toProto(pd pprofile.Profiles) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it has dangling references")
		}
	}()
	return (&pprofile.ProtoMarshaler{}).MarshalProfiles(pd)
}
