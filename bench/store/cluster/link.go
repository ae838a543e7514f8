package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// link passes connections from one port to another. While it is cut, connections hang: nothing
// comes, and nobody is told.
func link(ctx context.Context, from, to int, cut *atomic.Bool) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", from))
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go pass(ctx, c, to, cut)
		}
	}()
	return nil
}

func pass(ctx context.Context, c net.Conn, to int, cut *atomic.Bool) {
	defer c.Close() //nolint:errcheck // both ends see it
	for cut.Load() {
		time.Sleep(20 * time.Millisecond)
	}
	d, err := (&net.Dialer{}).DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", to))
	if err != nil {
		return
	}
	defer d.Close() //nolint:errcheck // both ends see it
	ended := make(chan struct{}, 2)
	one := func(to io.Writer, from io.Reader) {
		defer func() { ended <- struct{}{} }()
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			for cut.Load() {
				time.Sleep(20 * time.Millisecond)
			}
			if n > 0 {
				if _, err := to.Write(buffer[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	go one(c, d)
	go one(d, c)
	<-ended
}
