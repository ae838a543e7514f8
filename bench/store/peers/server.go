package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// server is one of those that are compared.
type server struct {
	kind string
	pid  int
	api
}

// api is how a server is spoken to.
type api interface {
	// push sends the bytes of a pprof file. errBusy says that it is to be sent again.
	push(ctx context.Context, f file, data []byte) error
	// ask asks and gives what of the answer can be compared.
	ask(ctx context.Context, q question) (answer, error)
}

// errBusy is that of a server that asks its senders to wait.
var errBusy = errors.New("busy")

// question is one that a page asks.
type question struct {
	kind     string // top, flame or calls
	service  string // "" for all of them
	function string // of calls
	from, to time.Time
}

// The kinds of questions.
const (
	top   = "top"
	flame = "flame"
	calls = "calls"
)

// answer is what can be compared: nanoseconds of CPU time in all, and the size.
type answer struct {
	total int64
	bytes int
	nodes int // rows or nodes, 0 where they are in a form that is not read here
	// hottest are the functions with the largest own time, where the question is top.
	hottest []hot
}

type hot struct {
	name string
	self int64
}

// parseServers reads KIND=ADDRESS,PID.
func parseServers(args []string) ([]*server, error) {
	if len(args) == 0 {
		return nil, errors.New("give servers as KIND=ADDRESS,PID")
	}
	var all []*server
	for _, arg := range args {
		kind, rest, _ := strings.Cut(arg, "=")
		address, pid, _ := strings.Cut(rest, ",")
		n, err := strconv.Atoi(pid)
		if err != nil || n <= 0 || address == "" {
			return nil, fmt.Errorf("%s: must be KIND=ADDRESS,PID", arg)
		}
		s := &server{kind: kind, pid: n}
		switch kind {
		case "whyhot":
			s.api = &whyhot{address}
		case "parca":
			s.api, err = dialParca(address)
		case "pyroscope":
			s.api = &pyroscope{address}
		default:
			err = fmt.Errorf("%s: whyhot, parca or pyroscope", kind)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// ticks of a second, in /proc: it is 100 on all that Linux runs on here.
const ticks = 100

// cpu is the CPU time that the process has used.
func (s *server) cpu() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64) // the kernel writes numbers
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks
}

// peak is the most memory that the process has had, in MiB.
func (s *server) peak() int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // the kernel writes numbers
			return kib >> 10
		}
	}
	return 0
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// call makes a request and reads the whole answer.
func call(req *http.Request) ([]byte, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	data, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable:
		return nil, fmt.Errorf("%w: %s", errBusy, firstLine(data))
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %s", resp.Status, firstLine(data))
	}
	return data, nil
}

func firstLine(data []byte) string {
	line, _, _ := strings.Cut(string(data), "\n")
	return line[:min(len(line), 300)]
}
