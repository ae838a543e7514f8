package main

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"whyhot/internal/fleet/send"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

func onePythonSample(count int64) *profile.Profile {
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: "work", Kind: profile.KindPython})
	loc := b.Location(0, 0, profile.KindPython, profile.Line{Function: fn})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: count, Value: 10 * count})
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 10, Start: time.Unix(1000, 0), Duration: time.Second})
}

// startReceive runs the command and gives the addresses that it says it listens on.
func startReceive(t *testing.T, dir string) (grpc, http string, stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	cmd := newReceiveCmd()
	cmd.SetArgs([]string{"--listen", "127.0.0.1:0", "--listen-http", "127.0.0.1:0", "-o", dir})
	cmd.SetErr(writer)
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = writer.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(reader)
	address := regexp.MustCompile(`OTLP/(gRPC|HTTP) on (\S+)`)
	for (grpc == "" || http == "") && lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil && m[1] == "gRPC" {
			grpc = m[2]
		} else if m != nil {
			http = "http://" + m[2]
		}
	}
	if grpc == "" || http == "" {
		cancel()
		t.Fatalf("it does not say where it listens: %v", <-ended)
	}
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(reader)
		rest <- string(text)
	}()
	return grpc, http, func() string {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return <-rest
	}
}

func TestReceiveWritesABatchOnce(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // also after a restart
		grpc, http, stop := startReceive(t, dir)
		for _, endpoint := range []string{grpc, http} {
			f := otlpFlags{endpoint: endpoint, resource: map[string]string{"zone": "b"}}
			client, err := f.client()
			if err != nil {
				t.Fatal(err)
			}
			parts, err := send.Parts(onePythonSample(7), send.MaxRequest, f.attributes())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Send(t.Context(), "id-1", parts[0].Data); err != nil {
				t.Errorf("%s: %v", endpoint, err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		}
		stop()
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pb*"))
	if err != nil || len(files) != 1 || !strings.HasSuffix(files[0], "-id-1.pb.gz") {
		t.Fatalf("%v, %v", files, err)
	}
	p, err := ingest.Open(t.Context(), files[0], ingest.Options{})
	if err != nil || p.Count() != 7 {
		t.Fatalf("%d samples, %v", p.Count(), err)
	}
	if zone, _ := p.Label(p.Samples()[0].Labels, "zone"); zone.Str != "b" {
		t.Errorf("zone %q", zone.Str)
	}
}

// What record sends under no identity of its own arrives as often as it is sent.
func TestDeliverToReceive(t *testing.T) {
	dir := t.TempDir()
	grpc, _, stop := startReceive(t, dir)
	f := otlpFlags{endpoint: grpc}
	client, err := f.client()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.deliver(t.Context(), client, onePythonSample(3)); err != nil {
			t.Error(err)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if said := stop(); !strings.Contains(said, "6 samples in 2 batches") {
		t.Errorf("it said %q", said)
	}
}

func TestWrongOTLPFlags(t *testing.T) {
	for _, f := range []otlpFlags{
		{endpoint: "ftp://x"}, {endpoint: "https://x", insecure: true}, {endpoint: "x", ca: "/dev/null"},
		{endpoint: "x", ca: "/nowhere"}, {endpoint: "x", tokenFile: "/nowhere"},
	} {
		if c, err := f.client(); err == nil {
			_ = c.Close()
			t.Errorf("%+v was taken", f)
		}
	}
	for _, f := range []agentFlags{
		{frequency: 0, batch: time.Second, spoolSize: 8, debugInfo: "off"}, {frequency: 1, batch: time.Hour, spoolSize: 8, debugInfo: "off"},
		{frequency: 1, batch: time.Second, spoolSize: 1, debugInfo: "off"}, {frequency: 1, batch: time.Second, spoolSize: 8, debugInfo: "some"},
		{frequency: 1, batch: time.Second, spoolSize: 8, debugInfo: "off", debugInfoTo: "x:1"},
	} {
		if f.check() == nil {
			t.Errorf("%+v was taken", f)
		}
	}
}
