// Command whyhot-images says what is in a container image. whyhot starts it and asks:
// the question comes as JSON on the standard input; what is being done, and then the
// answer, go as JSON to the standard output (internal/image/inventory). It is a program of its own since reading
// images needs as much code again as whyhot has.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"whyhot/internal/host/version"
	"whyhot/internal/image"
	"whyhot/internal/image/inventory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called by hand on the line above
	}
}

func run(ctx context.Context) error {
	if len(os.Args) > 1 {
		if len(os.Args) == 2 && os.Args[1] == "--version" {
			_, err := fmt.Println("whyhot-images", version.String())
			return err
		}
		return fmt.Errorf("unknown argument %q: whyhot-images is started by whyhot, and by hand it takes only --version", os.Args[1])
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("whyhot-images is started by whyhot: whyhot images scan REF|TAR|DIR")
	}
	q, err := inventory.ReadQuestion(os.Stdin)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	answer, err := image.Read(ctx, q, func(doing string) {
		_ = out.Encode(inventory.Progress{Doing: doing}) // that nobody listens any more, the answer will find
	})
	if err != nil {
		return err
	}
	return out.Encode(answer)
}
