// Command protobuf makes the Go code of a .proto file, messages and gRPC service. It
// compiles the file with a compiler written in Go and calls protoc's plugins, all at
// the versions that this module pins, so that Go alone is needed and everybody gets
// the same bytes.
//
//	protobuf [-root DIR] [-out DIR] FILE    FILE is relative to root, what is made goes to
//	                                        the same place below out, which is root unless told
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugins are tools of this module.
var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

func main() {
	root := flag.String("root", ".", "folder that FILE and its name in the generated code are relative to")
	out := flag.String("out", "", "folder to write to; root unless told")
	flag.Parse()
	if *out == "" {
		*out = *root
	}
	if err := run(context.Background(), *root, *out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out, file string) error {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{root}},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments become comments
	}
	compiled, err := compiler.Compile(ctx, file)
	if err != nil {
		return err
	}
	if compiled[0].Imports().Len() > 0 {
		return fmt.Errorf("%s imports files, and plugins are given one only", file)
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file},
		Parameter:      new("paths=source_relative"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(compiled[0])},
	})
	if err != nil {
		return err
	}
	var made []*pluginpb.CodeGeneratorResponse_File
	for _, name := range plugins {
		files, err := call(ctx, name, request)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		made = append(made, files...)
	}
	for _, f := range made {
		path := filepath.Join(out, filepath.FromSlash(f.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.GetContent()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// call gives a plugin its request on standard input.
func call(ctx context.Context, name string, request []byte) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", name)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response.GetFile(), nil
}
