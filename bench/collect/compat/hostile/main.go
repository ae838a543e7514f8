// Hostile sends requests that are made to hurt to whyhot receive, many at a time,
// over HTTP and gRPC, and looks at the answers and at what memory it takes.
//
//	hostile [-parallel N] [-rounds N] WHYHOT
//
// It fails when an answer is not the right one, or when the receiver ends. The last
// lines are the receiver's peak memory and what it wrote.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // used by name below
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

const method = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// raw carries messages as the bytes that they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// httpOf are the statuses of HTTP for those of gRPC.
var httpOf = map[codes.Code]int{
	codes.OK: 200, codes.InvalidArgument: 400, codes.ResourceExhausted: 413, codes.Unavailable: 503, codes.DeadlineExceeded: 408,
}

type target struct {
	url  string
	conn *grpc.ClientConn
}

func (t *target) overHTTP(r request) (int, error) {
	body := r.body
	if r.gzip != nil {
		body = r.gzip
	}
	out, err := http.NewRequestWithContext(context.Background(), http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	out.Header.Set("Content-Type", "application/x-protobuf")
	if r.text {
		out.Header.Set("Content-Type", "application/json")
	}
	if r.gzip != nil {
		out.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := http.DefaultClient.Do(out)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

func (t *target) overGRPC(r request) (int, error) {
	var answer []byte
	err := t.conn.Invoke(context.Background(), method, &r.body, &answer, grpc.UseCompressor("gzip"))
	s := status.Convert(err)
	if code := httpOf[s.Code()]; code != 0 {
		return code, nil
	}
	return 0, err
}

// ways are how a request can be sent.
func (t *target) ways(r request) map[string]func(request) (int, error) {
	if r.text || r.gzip != nil {
		return map[string]func(request) (int, error){"HTTP": t.overHTTP}
	}
	return map[string]func(request) (int, error){"HTTP": t.overHTTP, "gRPC": t.overGRPC}
}

// busy is what a client is told that came while all slots were taken.
const busy = http.StatusServiceUnavailable

// send sends one request until it was judged.
func send(how func(request) (int, error), r request) (int, error) {
	for {
		code, err := how(r)
		if err != nil || code != busy {
			return code, err
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func peakMemory(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "not known"
}

func run() error {
	parallel := flag.Int("parallel", 20, "requests at a time")
	rounds := flag.Int("rounds", 2, "how often each is sent")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("hostile [-parallel N] [-rounds N] WHYHOT")
	}
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	onGRPC, err := freePort()
	if err != nil {
		return err
	}
	onHTTP, err := freePort()
	if err != nil {
		return err
	}
	receiver := exec.Command(flag.Arg(0), "receive", "--listen", onGRPC, "--listen-http", onHTTP, "-o", dir)
	receiver.Stderr = io.Discard
	if err := receiver.Start(); err != nil {
		return err
	}
	defer func() { _ = receiver.Process.Kill(); _ = receiver.Wait() }()
	for {
		c, err := net.DialTimeout("tcp", onHTTP, time.Second)
		if err == nil {
			c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	before := peakMemory(receiver.Process.Pid)
	conn, err := grpc.NewClient(onGRPC, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		return err
	}
	wrong := (&target{"http://" + onHTTP + "/v1development/profiles", conn}).attack(*parallel, *rounds)
	fmt.Printf("peak memory of the receiver: %s (before: %s)\n", peakMemory(receiver.Process.Pid), before)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	var written int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			written += info.Size()
		}
	}
	fmt.Printf("written: %d files, %d bytes\n", len(files), written)
	if wrong > 0 {
		return fmt.Errorf("%d answers are wrong", wrong)
	}
	return nil
}

// attack sends everything, in turn by as many clients, and counts wrong answers.
func (t *target) attack(parallel, rounds int) (wrong int) {
	type outcome struct {
		codes map[int]int
		slow  time.Duration
	}
	outcomes := map[string]*outcome{}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for range rounds {
		for _, r := range requests() {
			for way, how := range t.ways(r) {
				slots <- struct{}{}
				all.Go(func() {
					defer func() { <-slots }()
					start := time.Now()
					code, err := send(how, r)
					mu.Lock()
					defer mu.Unlock()
					name := fmt.Sprintf("%-4s %s", way, r.name)
					o := outcomes[name]
					if o == nil {
						o = &outcome{codes: map[int]int{}}
						outcomes[name] = o
					}
					o.codes[code]++
					o.slow = max(o.slow, time.Since(start))
					if !slices.Contains(r.statuses, code) {
						wrong++
						log.Printf("%s: %d, %v; want %v", name, code, err, r.statuses)
					}
				})
			}
		}
	}
	all.Wait()
	names := make([]string, 0, len(outcomes))
	for name := range outcomes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("%-52s %v, at most %.1f s\n", name, outcomes[name].codes, outcomes[name].slow.Seconds())
	}
	return wrong
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
