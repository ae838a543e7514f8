package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// serverProgram is a program of its own, since what it stores in needs cgo.
const serverProgram = "whyhot-server"

func newServeCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "serve --data DIR [flags]",
		Short: "Store the profiles of a fleet and answer queries",
		Long: `Starts whyhot-server, which is in the same directory as whyhot or on PATH, with the same flags.
"whyhot serve --help" lists them; "whyhot-server token" makes tokens.`,
		Example: `  whyhot serve --data /var/lib/whyhot-server
  whyhot agent --to localhost:4317                     in another terminal
  whyhot top --from http://localhost:7878 --service nginx --last 1h`,
		// All that follows is the server's.
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return runServer("serve", args...)
		},
	}
}

// runServer becomes whyhot-server.
func runServer(command string, args ...string) error {
	path, err := findBeside(serverProgram, "make server")
	if err != nil {
		return err
	}
	words := append([]string{path, command}, args...)
	if err := syscall.Exec(path, words, os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", path, err)
	}
	return nil
}

// findBeside looks for a program beside this one, and then on PATH. build is the command
// that makes it.
func findBeside(program, build string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		if target, linkErr := filepath.EvalSymlinks(self); linkErr == nil {
			self = target
		}
		beside := filepath.Join(filepath.Dir(self), program)
		info, err := os.Stat(beside)
		switch {
		case err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0:
			return beside, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("looking for %s: %w", program, err)
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside whyhot (%s) nor on PATH; `%s` builds it, `whyhot doctor` says what else is missing", program, filepath.Dir(self), build)
	}
	return path, nil
}
