package send

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// A wrong port or protocol is told with what to type instead.
func TestWrongPorts(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	listen := func(o ...grpc.ServerOption) string {
		t.Helper()
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := grpc.NewServer(o...)
		go func() { _ = s.Serve(l) }()
		t.Cleanup(s.Stop)
		return l.Addr().String()
	}
	rpc, secureRPC := listen(), listen(grpc.Creds(credentials.NewServerTLSFromCert(&secure.TLS.Certificates[0])))
	at := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for endpoint, want := range map[string]string{
		"grpc://" + at(plain):       "; this port speaks HTTP and not gRPC: give the server's port for agents (--listen-grpc, usually 4317), or http://" + at(plain),
		"grpc://" + secureRPC:       "; the server may use TLS: give grpcs://" + secureRPC,
		"grpc://" + at(secure):      "; the server may use TLS: give grpcs://" + at(secure),
		"grpcs://" + rpc:            "; the server does not use TLS: give --insecure, or grpc://" + rpc,
		"grpcs://" + at(plain):      "; the server does not use TLS: give --insecure, or grpc://" + at(plain),
		"grpcs://" + secureRPC:      "; give --ca FILE",
		"http://" + at(secure):      "; the server uses TLS: give https://" + at(secure),
		"http://" + rpc:             "; this port speaks gRPC: give " + rpc + " without a scheme",
		"https://" + at(plain):      "; the server does not use TLS: give http://" + at(plain),
		"grpc://127.0.0.1:1":        "refused\"",
		"http://" + at(plain) + "/": "404 Not Found: 404 page not found",
	} {
		e, err := ParseEndpoint(endpoint, false)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Options{Endpoint: e, Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Send(t.Context(), "", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", endpoint, err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
