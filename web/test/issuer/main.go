// Command issuer is the identity provider of the page's tests: it lets in whoever comes, as
// the person that it was started with, and prints its URL. It ends with its input.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"whyhot/internal/server/signin/issuertest"
)

func main() {
	redirect := flag.String("redirect", "", "URL that people are sent back to")
	name := flag.String("name", "Ada Lovelace", "name of the person")
	email := flag.String("email", "ada@example.org", "address of the person")
	groups := flag.String("groups", "", "groups of the person, separated by commas")
	flag.Parse()
	if err := run(*redirect, *name, *email, *groups); err != nil {
		fmt.Fprintln(os.Stderr, "issuer:", err)
		os.Exit(1)
	}
}

func run(redirect, name, email, groups string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the process
	if err != nil {
		return err
	}
	const slow = 10 * time.Second
	at := "http://" + l.Addr().String()
	i, err := issuertest.New(at, "whyhot", "", redirect)
	if err != nil {
		return err
	}
	i.Person(map[string]any{"sub": email, "name": name, "email": email, "email_verified": true, "groups": strings.Split(groups, ",")}, nil)
	fmt.Println(at)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return (&http.Server{Handler: i, ReadHeaderTimeout: slow}).Serve(l)
}
