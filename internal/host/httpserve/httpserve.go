// Package httpserve runs an HTTP server until its context is done.
//
// It owns the number of connections and the orderly end. It imports nothing of ours.
package httpserve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// Serve serves on l, over TLS where the server has a configuration of it, with at most
// clients connections. When ctx is done, requests under way may take grace longer. It
// closes the listener.
func Serve(ctx context.Context, server *http.Server, l net.Listener, clients int, grace time.Duration) error {
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	stopped := make(chan error, 1)
	unwatch := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err := server.Shutdown(end)
		if err != nil {
			err = server.Close()
		}
		stopped <- err
	})
	limited := netutil.LimitListener(l, clients)
	var err error
	if server.TLSConfig != nil {
		err = server.ServeTLS(limited, "", "")
	} else {
		err = server.Serve(limited)
	}
	if !unwatch() {
		return <-stopped
	}
	return fmt.Errorf("serving HTTP: %w", errors.Join(err, server.Close()))
}
