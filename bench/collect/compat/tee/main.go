// Tee takes OTLP profiles over gRPC, keeps the bytes of every request in a file of
// its own, and hands them on, unchanged, to every receiver it was given. What a
// sender sent can so be compared with what each receiver made of it.
//
//	tee -listen ADDR -keep DIR RECEIVER...
//
// A request that a receiver refuses is refused, and its file removed, so that only
// what all of them took is compared; the refusal is printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // senders compress with it
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

const method = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// passed are the metadata that the protocol and whyhot give a meaning.
var passed = []string{"otlp-profiles-development-version", "whyhot-batch"}

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

type tee struct {
	keep string
	to   map[string]*grpc.ClientConn
	n    atomic.Int64
}

func (t *tee) export(_ any, stream grpc.ServerStream) error {
	var data []byte
	if err := stream.RecvMsg(&data); err != nil {
		return err
	}
	path := filepath.Join(t.keep, fmt.Sprintf("%06d.pb", t.n.Add(1)))
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	out := metadata.MD{}
	if in, ok := metadata.FromIncomingContext(stream.Context()); ok {
		for _, k := range passed {
			out[k] = in.Get(k)
		}
	}
	// The sender may be gone before the last of the receivers has answered.
	ctx := metadata.NewOutgoingContext(context.WithoutCancel(stream.Context()), out)
	var answer []byte
	for name, conn := range t.to {
		if err := conn.Invoke(ctx, method, &data, &answer); err != nil {
			log.Printf("%s refused %s: %v", name, filepath.Base(path), err)
			return errors.Join(err, os.Remove(path))
		}
	}
	return stream.SendMsg(&answer)
}

func run() error {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	t := &tee{to: map[string]*grpc.ClientConn{}}
	flag.StringVar(&t.keep, "keep", ".", "directory")
	flag.Parse()
	for _, addr := range flag.Args() {
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
		if err != nil {
			return err
		}
		t.to[addr] = conn
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	s := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.MaxRecvMsgSize(64<<20), grpc.UnknownServiceHandler(t.export))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, s.GracefulStop)
	return s.Serve(l)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("tee: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
