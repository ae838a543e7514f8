package receive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/fleet/send"
	"whyhot/internal/host/httpserve"
)

// ProfilesPath is where the protocol has servers take profiles.
const ProfilesPath = "/v1development/profiles"

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// jsonShare is how much smaller than a protobuf message a JSON text must be: its
// parsed form is not bounded before it is parsed.
const jsonShare = 4

// ServeWeb serves until ctx is done, and then waits a moment for requests under
// way. It closes the listener.
func (s *Server) ServeWeb(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle(ProfilesPath, s)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: s.opts.ReadTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ReadTimeout: s.opts.ReadTime + s.opts.SlotWait, WriteTimeout: 2*s.opts.ReadTime + s.opts.SlotWait,
		TLSConfig: s.opts.TLS,
	}
	return httpserve.Serve(ctx, server, l, s.opts.MaxClients, stopGrace)
}

// ServeHTTP serves one request, whatever its path. Where another server calls it, TLS
// and the limits of connections are that server's.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "profiles are sent with POST", http.StatusMethodNotAllowed)
		return
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != protobufType && kind != jsonType {
		http.Error(w, "the content type is "+protobufType+" or "+jsonType, http.StatusUnsupportedMediaType)
		return
	}
	warning, err := s.receive(w, r, kind)
	if err != nil {
		refuse(w, kind, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	answer, err := answerIn(kind, warning)
	if err != nil {
		refuse(w, kind, err)
		return
	}
	_, _ = w.Write(answer) //nolint:gosec // no page: the content type is protobuf or JSON, and a client that is gone hears nothing
}

func answerIn(kind, warning string) ([]byte, error) {
	if kind == jsonType {
		return answerOf(warning).MarshalJSON()
	}
	return answerOf(warning).MarshalProto()
}

// receive reads a request and gives it to the handler, in a slot.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, kind string) (warning string, err error) {
	versions := r.Header.Values(pprofileotlp.DevelopmentVersionHeader)
	if err := pprofileotlp.ValidateDevelopmentVersion(versions); err != nil {
		return "", &malformedError{err}
	}
	if err := s.acquire(r.Context()); err != nil {
		return "", err
	}
	defer s.release()
	limit := s.opts.MaxMessage
	if kind == jsonType {
		limit /= jsonShare
	}
	data, err := body(w, r, limit)
	if err != nil {
		return "", err
	}
	from := sender{batch: r.Header.Get(send.BatchHeader), versioned: len(versions) > 0}
	if kind == jsonType {
		return s.takeJSON(r.Context(), from, data)
	}
	return s.take(r.Context(), from, data)
}

// body reads and decompresses a request's body.
func body(w http.ResponseWriter, r *http.Request, limit int) ([]byte, error) {
	var from io.Reader = http.MaxBytesReader(w, r.Body, int64(limit))
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, readError(fmt.Errorf("gzip: %w", err), limit)
		}
		from = z
	default:
		return nil, &encodingError{encoding}
	}
	data, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err != nil {
		return nil, readError(err, limit)
	}
	if len(data) > limit {
		return nil, largerThan(limit)
	}
	return data, nil
}

func largerThan(limit int) error {
	return &tooLargeError{fmt.Errorf("the request is larger than %d bytes; send smaller batches", limit)}
}

// readError tells what went wrong with a body.
func readError(err error, limit int) error {
	over, timeout := (*http.MaxBytesError)(nil), net.Error(nil)
	switch {
	case errors.As(err, &over):
		return largerThan(limit)
	case errors.As(err, &timeout) && timeout.Timeout():
		return errSlow
	}
	return &malformedError{err}
}

// encodingError is a compression that is not known here.
type encodingError struct{ name string }

func (e *encodingError) Error() string {
	return fmt.Sprintf("unsupported content encoding %q; use gzip or identity", e.name)
}

// refuse writes an error in the form that the protocol has for it.
func refuse(w http.ResponseWriter, kind string, err error) {
	s := statusOf(err)
	code := map[codes.Code]int{
		codes.InvalidArgument: http.StatusBadRequest, codes.ResourceExhausted: http.StatusRequestEntityTooLarge,
		codes.DeadlineExceeded: http.StatusRequestTimeout, codes.Canceled: http.StatusRequestTimeout,
	}[s.Code()]
	if code == 0 {
		code = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int(comeAgain.Seconds())))
	}
	if unknown := (*encodingError)(nil); errors.As(err, &unknown) {
		code, s = http.StatusUnsupportedMediaType, status.New(codes.InvalidArgument, err.Error())
		w.Header().Del("Retry-After")
		w.Header().Set("Accept-Encoding", "gzip, identity")
	}
	marshal := proto.Marshal
	if kind == jsonType {
		marshal = protojson.Marshal
	}
	text, err := marshal(s.Proto())
	if err != nil {
		http.Error(w, s.Message(), code)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write(text) // the client is gone: nothing to do about it
}
