package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/httpserve"
	"whyhot/internal/host/userdir"
	"whyhot/internal/mcp"
	"whyhot/internal/mcp/allow"
	"whyhot/internal/trial/statement"
)

const mcpLong = `Serves whyhot's answers to a coding agent by the Model Context Protocol: over
standard input and output, or with --http over streamable HTTP on this machine.
The tools are profile, explain, source, what_if, try and left (docs/agents.md).

What an agent may have run is what .whyhot.yaml in the root allows, as it is when
the server starts. Without the file it may open profiles below the root only.`

type mcpFlags struct {
	root, http, heldout, statements string
}

func newMCPCmd() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use: "mcp [flags]", Short: "Serve a coding agent: findings, bounds and proof as tools", Long: mcpLong,
		Example: "  whyhot mcp\n  whyhot mcp --root ~/src/parser --heldout ~/heldout.txt\n  whyhot mcp --http 127.0.0.1:7880",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.root, "root", ".", "the tree that the agent works on, `DIR`")
	flags.StringVar(&f.http, "http", "", "serve streamable HTTP on `ADDRESS` of the loopback, such as 127.0.0.1:7880")
	flags.StringVar(&f.heldout, "heldout", "", "`FILE` with workloads that no answer shows, a command a line; keep it outside of the root")
	flags.StringVar(&f.statements, "statements", "", "write signed records of trials to `DIR` (default: statements in whyhot's state directory)")
	return cmd
}

func (f *mcpFlags) run(cmd *cobra.Command) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	var listener net.Listener
	if f.http != "" {
		if listener, err = listenLoopback(cmd.Context(), f.http); err != nil {
			return err
		}
	}
	s, err := mcp.New(o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // the system clears what is left of a temporary directory
	if listener == nil {
		err := s.Stdio(cmd.Context())
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "whyhot: serving agents on http://%s\n", listener.Addr())
	const header, clients, grace = 10 * time.Second, 64, 2 * time.Second
	return httpserve.Serve(cmd.Context(), &http.Server{Handler: s.Handler(), ReadHeaderTimeout: header}, listener, clients, grace)
}

func (f *mcpFlags) options() (mcp.Options, error) {
	rules, err := allow.Load(f.root)
	if err != nil {
		return mcp.Options{}, err
	}
	o := mcp.Options{Rules: rules, Statements: f.statements}
	if o.KeyDir, err = statement.KeyDir(); err != nil {
		return o, err
	}
	if o.Statements == "" {
		if o.Statements, err = userdir.State(os.Getenv, "statements"); err != nil {
			return o, fmt.Errorf("--statements: %w", err)
		}
	}
	if f.heldout != "" {
		if o.Heldout, err = commandLines(f.heldout); err != nil {
			return o, fmt.Errorf("--heldout: %w", err)
		}
	}
	return o, nil
}

// commandLines reads a command a line; empty lines and those after # are left out.
func commandLines(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read from
	var out []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no command", path)
	}
	return out, nil
}

// listenLoopback listens where this machine alone can connect.
func listenLoopback(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("invalid address %q: %w; must be HOST:PORT, such as 127.0.0.1:7880", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("invalid address %q: must be of the loopback, such as 127.0.0.1 or [::1]: who reaches it can have commands run", address)
	}
	var listen net.ListenConfig
	return listen.Listen(ctx, "tcp", address)
}
