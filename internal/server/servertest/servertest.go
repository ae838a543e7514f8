// Package servertest has projects with engines in memory and profiles to send to them,
// for tests of servers and of their clients.
//
// It owns nothing that runs outside tests, and imports what they do.
package servertest

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// engines are those of the stores that were opened, by directory: a store that is opened
// again has what it had.
var engines sync.Map

// Open opens a store whose rows are in memory. Names are not looked up.
func Open(ctx context.Context, dir, _ string) (project.Store, error) {
	if _, err := os.Stat(dir); err != nil { // it is a new one
		engines.Delete(dir)
	}
	rows, _ := engines.LoadOrStore(dir, memory.New())
	if mark, err := os.ReadFile(filepath.Join(dir, "db", markFile)); err == nil {
		rows, _ = filled.Load(string(mark))
	}
	return store.Open(ctx, dir, func(context.Context, string) (engine.Engine, error) { return rows.(engine.Engine), nil }, store.Options{
		Names: store.NameOptions{Off: true},
	})
}

// Fill makes the store of a directory of a backup, as a server does. Whatever the directory is
// called when it is opened, its rows are those.
func Fill(ctx context.Context, dir string, from io.Reader, progress func(rows int64)) error {
	e := memory.New()
	return store.Fill(ctx, dir, func(_ context.Context, dir string) (engine.Engine, error) {
		mark := rand.Text()
		filled.Store(mark, e)
		return e, os.WriteFile(filepath.Join(dir, markFile), []byte(mark), 0o600)
	}, from, progress)
}

// filled are the engines that Fill made, by what is in the file of that name beside the rows of
// others.
var filled sync.Map

const markFile = "filled"

// Profile is a CPU profile of a program that parses and frees: main calls parse in
// parseMS of its milliseconds, which calls malloc in half of them, and idle in the rest.
func Profile(at time.Time, parseMS, idleMS int64) *profile.Profile {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/srv/app/bin/app", BuildID: "abcd01", Start: 0x1000, Limit: 0x9000})
	libc := b.Mapping(profile.Mapping{Path: "/usr/lib/libc.so.6", BuildID: "ef02", Start: 0x10000, Limit: 0x20000})
	frame := func(m profile.MappingID, address uint64, name, file string, line int32) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: file, StartLine: line - 2, Mapping: m, Kind: profile.KindNative})
		return b.Location(m, address, profile.KindNative, profile.Line{Function: f, Line: line})
	}
	main := frame(app, 0x1100, "main", "/src/main.c", 12)
	parse := frame(app, 0x1200, "parse(std::string const&)", "/src/parse.c", 40)
	parse2 := frame(app, 0x1210, "parse(std::string const&)", "/src/parse.c", 44)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{parse2, main}), Count: parseMS - parseMS/2, Value: (parseMS - parseMS/2) * 1e6})
	malloc := frame(libc, 0x10100, "malloc", "", 2)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{malloc, parse, main}), Count: parseMS / 2, Value: parseMS / 2 * 1e6})
	if idleMS > 0 {
		idle := frame(app, 0x1300, "idle", "/src/main.c", 80)
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{idle, main}), Count: idleMS, Value: idleMS * 1e6})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 1e6, Start: at, Duration: time.Minute})
}

// Pprof is a profile as a pprof file.
func Pprof(tb testing.TB, p *profile.Profile) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := pprof.Write(&out, p); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// Message writes a protobuf message of strings and of messages, by their numbers:
// Message(1, "a", 2, Message(1, "b")).
func Message(fields ...any) []byte {
	var out []byte
	for i := 0; i < len(fields); i += 2 {
		out = protowire.AppendTag(out, protowire.Number(fields[i].(int)), protowire.BytesType)
		switch v := fields[i+1].(type) {
		case string:
			out = protowire.AppendString(out, v)
		case []byte:
			out = protowire.AppendBytes(out, v)
		}
	}
	return out
}
