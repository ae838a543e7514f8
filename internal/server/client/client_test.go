package client

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
)

// A wrong port or protocol is told with what to type instead.
func TestWrongPorts(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rpc := grpc.NewServer()
	go func() { _ = rpc.Serve(l) }()
	defer rpc.Stop()
	for url, want := range map[string]string{
		"http://" + l.Addr().String():                "this seems to be the server's port for agents (--listen-grpc): give that of --listen",
		l.Addr().String():                            "this seems to be the server's port for agents",
		"http://" + secure.Listener.Addr().String():  "the server uses TLS: give " + secure.URL,
		"https://" + plain.Listener.Addr().String():  "the server does not use TLS: give " + plain.URL,
		"https://" + secure.Listener.Addr().String(): "give --ca FILE",
		plain.Listener.Addr().String():               "answered 404 Not Found: is it a whyhot server?",
	} {
		c, err := New(Options{URL: url})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		_, asked := c.Services(t.Context(), nil)
		for _, err := range []error{asked, c.Reachable(t.Context())} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant %s", url, err, want)
			}
		}
	}
	for _, url := range []string{"localhost", "app.pb.gz", ":80", "localhost:http", "ftp://x:1", "C:99999"} {
		if _, err := New(Options{URL: url}); err == nil || !strings.Contains(err.Error(), "give http://HOST:PORT") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
