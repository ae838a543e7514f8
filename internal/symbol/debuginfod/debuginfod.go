// Package debuginfod fetches debug information from debuginfod servers.
//
// It owns the protocol's client side and the directory that it fills, laid out as
// DIR/.build-id/ab/cdef….debug. It takes the servers' addresses and a build ID. It must
// never name functions.
//
// What a server sends is believed only where it is an ELF file with the build ID that
// was asked for; its size is bounded. A build ID that no server knows is not asked for
// again for a while.
//
// Protocol: https://sourceware.org/elfutils/Debuginfod.html.
package debuginfod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/version"
	"whyhot/internal/host/wholefile"
)

// Options say where to ask. Zero values are the defaults.
type Options struct {
	Servers []string // http:// or https:// addresses, asked in this order
	Dir     string   // where files go
	MaxFile int64    // bytes of one; 2 GiB
	// Again is how long a build ID that nobody knew is not asked for; 6 h.
	Again  time.Duration
	Client *http.Client // nil: one that waits a minute for a first byte
}

// Client fetches. Several goroutines may use it.
type Client struct {
	opts Options
	mu   sync.Mutex
	not  map[string]time.Time // build IDs that were not to be had, and when
}

// New makes a client. The addresses must be whole ones.
func New(o Options) (*Client, error) {
	for _, s := range o.Servers {
		if u, err := url.Parse(s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("debuginfod: invalid address %q: give one like https://debuginfod.example.org", s)
		}
	}
	if o.MaxFile == 0 {
		o.MaxFile = 2 << 30
	}
	if o.Again == 0 {
		o.Again = 6 * time.Hour
	}
	if o.Client == nil {
		transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute, ForceAttemptHTTP2: true}
		o.Client = &http.Client{Transport: transport}
	}
	return &Client{opts: o, not: map[string]time.Time{}}, nil
}

// Fetch brings the debug information of a build ID; false where no server has it, or
// none answers. What is there is not fetched again.
func (c *Client) Fetch(ctx context.Context, buildID string) (bool, error) {
	if len(buildID) < 8 || len(buildID) > 128 || len(buildID)%2 != 0 || strings.Trim(buildID, "0123456789abcdef") != "" {
		return false, nil
	}
	to := filepath.Join(c.opts.Dir, ".build-id", buildID[:2], buildID[2:]+".debug")
	if _, err := os.Stat(to); err == nil {
		return true, nil
	}
	c.mu.Lock()
	asked, before := c.not[buildID]
	c.mu.Unlock()
	if before && time.Since(asked) < c.opts.Again {
		return false, nil
	}
	var problems []error
	for _, server := range c.opts.Servers {
		found, err := c.from(ctx, server, buildID, to)
		if found {
			return true, nil
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("debuginfod: %s: %w", server, err))
		}
	}
	if ctx.Err() == nil {
		c.mu.Lock()
		c.not[buildID] = time.Now()
		c.mu.Unlock()
	}
	return false, errors.Join(problems...)
}

var errLarge = errors.New("the file is too large")

func (c *Client) from(ctx context.Context, server, buildID, to string) (found bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(server, "/")+"/buildid/"+buildID+"/debuginfo", http.NoBody)
	if err != nil {
		return false, err
	}
	r.Header.Set("User-Agent", version.Agent("whyhot"))
	answer, err := c.opts.Client.Do(r)
	if err != nil {
		return false, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return false, nil
	case answer.StatusCode != http.StatusOK:
		return false, fmt.Errorf("it answers %s", answer.Status)
	case answer.ContentLength > c.opts.MaxFile:
		return false, errLarge
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return false, err
	}
	err = wholefile.Write(to, 0o644, func(f *os.File) error {
		n, err := io.Copy(f, io.LimitReader(answer.Body, c.opts.MaxFile+1))
		switch {
		case err != nil:
			return err
		case n > c.opts.MaxFile:
			return errLarge
		}
		e, err := elffile.Open(f.Name())
		if err != nil {
			return fmt.Errorf("what it sent is not an ELF file: %w", err)
		}
		defer func() { _ = e.Close() }() // only read from
		if e.BuildID() != buildID {
			return fmt.Errorf("what it sent has the build ID %q", e.BuildID())
		}
		return nil
	})
	return err == nil, err
}
