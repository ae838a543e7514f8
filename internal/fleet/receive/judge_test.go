package receive

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/fleet/send"
)

// What the handler refuses is not sent again, what it could not take is.
func TestHandlerRefuses(t *testing.T) {
	kept := store{err: Refuse(errors.New("no CPU profile"))}
	_, endpoints := serve(t, Options{}, kept.take)
	for name, e := range endpoints {
		_, err := client(t, e).Send(t.Context(), "b", encoded(t, 3))
		if retry := (*send.RetryableError)(nil); err == nil || errors.As(err, &retry) || !strings.Contains(err.Error(), "no CPU profile") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHandlerWarns(t *testing.T) {
	kept := store{warn: []string{"3 samples are from the future"}}
	_, endpoints := serve(t, Options{}, kept.take)
	for name, e := range endpoints {
		result, err := client(t, e).Send(t.Context(), "b", encoded(t, 3))
		if err != nil || result.Message != kept.warn[0] || result.Rejected != 0 {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
}

// Calls are judged before their message is read, and those of other services, too.
func TestIntercept(t *testing.T) {
	var kept store
	_, endpoints := serve(t, Options{Intercept: func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if md, _ := metadata.FromIncomingContext(stream.Context()); len(md.Get("authorization")) == 0 {
			return status.Error(codes.Unauthenticated, "a token is needed")
		}
		return next(srv, stream)
	}}, kept.take)
	_, err := client(t, endpoints["grpc"]).Send(t.Context(), "b", encoded(t, 3))
	if err == nil || !strings.Contains(err.Error(), "a token is needed") {
		t.Errorf("%v", err)
	}
	with, err := send.New(send.Options{Endpoint: endpoints["grpc"], Headers: map[string]string{"authorization": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	if _, err := with.Send(t.Context(), "b", encoded(t, 3)); err != nil || len(kept.batches) != 1 {
		t.Errorf("%d batches, %v", len(kept.batches), err)
	}
}

// A larger server serves it under its own mux.
func TestMounted(t *testing.T) {
	var kept store
	mux := http.NewServeMux()
	mux.Handle(ProfilesPath, New(Options{}, kept.take))
	server := httptest.NewServer(mux)
	defer server.Close()
	e, err := send.ParseEndpoint(server.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client(t, e).Send(t.Context(), "b", encoded(t, 3)); err != nil || len(kept.batches) != 1 {
		t.Errorf("%d batches, %v", len(kept.batches), err)
	}
}
