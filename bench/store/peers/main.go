// Program peers measures the server beside Parca and Pyroscope: the same pprof files,
// sent to each by its own API, and the same questions.
//
//	peers generate -out DIR RECORDING…    writes the files: real stacks, times up to now
//	peers push -from DIR SERVER…          sends them, to one server after the other, by parts
//	peers ask -from DIR SERVER…           asks all of them in turn, and compares the answers
//
// A SERVER is KIND=ADDRESS,PID; its kind is whyhot, parca or pyroscope, and the process
// is looked at for its CPU time and memory. It imports nothing of the other two: their
// few messages are written field by field (see parca.go and pyroscope.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: peers generate|push|ask …")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "generate":
		var o shape
		out := flags.String("out", "", "directory that the files are written to")
		flags.IntVar(&o.services, "services", 10, "services")
		flags.IntVar(&o.containers, "containers", 2, "containers of each service")
		flags.IntVar(&o.minutes, "minutes", 720, "minutes, a profile of each container in each")
		flags.IntVar(&o.stacks, "stacks", 2000, "stacks that a service has, at most")
		flags.IntVar(&o.samples, "samples", 340, "samples of a profile, on average")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return generate(ctx, *out, flags.Args(), o)
	case "push":
		from := flags.String("from", "", "directory of the files")
		parts := flags.Int("parts", 8, "parts that the files are sent in, by which the servers take turns")
		senders := flags.Int("senders", 32, "who send at a time")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		servers, err := parseServers(flags.Args())
		if err != nil {
			return err
		}
		return push(ctx, *from, servers, *parts, *senders)
	case "ask":
		from := flags.String("from", "", "directory of the files")
		rounds := flags.Int("rounds", 10, "times that each question is asked")
		only := flags.String("only", "", "only the questions whose description begins so, such as \"fleet all top\"")
		timeout := flags.Duration("timeout", time.Minute, "how long an answer is waited for")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		servers, err := parseServers(flags.Args())
		if err != nil {
			return err
		}
		return ask(ctx, *from, servers, *rounds, *timeout, *only)
	}
	return fmt.Errorf("%s: generate, push or ask", args[0])
}
