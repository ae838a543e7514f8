package main

import (
	"context"
	"net"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"whyhot/internal/explain"
	"whyhot/internal/server"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
	"whyhot/internal/server/watch"
)

// scriptServer is a server with an engine in memory for one script.
type scriptServer struct {
	dir string
	def project.Store // of the default project
}

var scriptServers = map[string]*scriptServer{} // by the script's directory; scripts run in turn

// cmdServer runs a server in this process:
//
//	server start              $SERVER is its address
//	server flush              what was sent can be asked for
//	server look               the rules look now
//	server token SCOPES FILE  a token into a file
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server start|flush|look|token")
	}
	key := ts.Getenv("WORK")
	s := scriptServers[key]
	if args[0] == "start" {
		scriptServers[key] = startScriptServer(ts)
		return
	}
	if s == nil {
		ts.Fatalf("no server was started")
	}
	ctx := context.Background()
	p := &project.Project{Store: s.def, Name: access.DefaultProject}
	switch args[0] {
	case "flush":
		ts.Check(p.Flush(ctx))
	case "look":
		ts.Check(p.Flush(ctx))
		rules, err := explain.LoadRules()
		ts.Check(err)
		later := time.Now().Add(time.Minute) // this minute is not over
		ts.Check(watch.New(watch.Options{Rules: rules, Now: func() time.Time { return later }}).Look(ctx, p))
	case "token":
		scopes, err := access.ParseScopes(args[1])
		ts.Check(err)
		secret, _, err := access.Create(s.dir, access.Wish{Project: access.DefaultProject, Scopes: scopes}, time.Now())
		ts.Check(err)
		writeScriptFile(ts, args[2], secret+"\n")
	default:
		ts.Fatalf("what is %q?", args[0])
	}
}

func startScriptServer(ts *testscript.TestScript) *scriptServer {
	s := &scriptServer{dir: ts.MkAbs("server")}
	ctx, cancel := context.WithCancel(context.Background())
	at := make(chan string, 1)
	srv, err := server.Open(ctx, server.Options{
		Data: s.dir, Listen: "127.0.0.1:0", NoWatch: true,
		Open: func(ctx context.Context, dir, debugDir string) (project.Store, error) {
			made, err := servertest.Open(ctx, dir, debugDir)
			if s.def == nil {
				s.def = made // it is opened first
			}
			return made, err
		},
		Listening: func(_ string, addr net.Addr) { at <- addr.String() },
	})
	ts.Check(err)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx) }()
	ts.Setenv("SERVER", "http://"+<-at)
	ts.Defer(func() {
		cancel()
		ts.Check(<-ended)
		ts.Check(srv.Close())
	})
	return s
}
