package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"whyhot/internal/fleet/send"
	"whyhot/internal/profile"
)

// otlpFlags say where profiles are sent to, and how.
type otlpFlags struct {
	endpoint  string
	insecure  bool
	ca        string
	tokenFile string
	headers   map[string]string
	resource  map[string]string
}

const endpointHelp = "OTLP/gRPC, or a URL: grpc[s]://…, http[s]://…"

func (f *otlpFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.insecure, "insecure", false, "send unencrypted to other machines, too")
	flags.StringVar(&f.ca, "ca", "", "trust only the certificate authorities in this `FILE` (PEM)")
	flags.StringVar(&f.tokenFile, "token-file", "", "send the token in this `FILE` as \"Authorization: Bearer\"")
	flags.StringToStringVar(&f.headers, "header", nil, "send this header with every request (`NAME=VALUE`, repeatable)")
	flags.StringToStringVar(&f.resource, "resource", nil, "resource attribute of everything that is sent (`NAME=VALUE`, repeatable); host.name is set")
	for _, name := range []string{"header", "resource"} {
		flags.Lookup(name).DefValue = "" // the help would show []
	}
}

// client makes the client that the flags describe.
func (f *otlpFlags) client() (*send.Client, error) {
	o, err := f.options(f.endpoint)
	if err != nil {
		return nil, err
	}
	return send.New(o)
}

// options are how to speak to the endpoint.
func (f *otlpFlags) options(endpoint string) (send.Options, error) {
	e, err := send.ParseEndpoint(endpoint, f.insecure)
	if err != nil {
		return send.Options{}, err
	}
	o := send.Options{Endpoint: e, Headers: map[string]string{}}
	for k, v := range f.headers {
		o.Headers[strings.ToLower(k)] = v
	}
	if f.tokenFile != "" {
		// Read for each request: a token that expires is replaced in the file.
		o.Token = func() (string, error) { return readToken(f.tokenFile) }
		if _, err := o.Token(); err != nil {
			return o, fmt.Errorf("--token-file: %w", err)
		}
	}
	if f.ca != "" {
		if o.TLS, err = send.TrustOnly(f.ca, e.Name()); err != nil {
			return o, fmt.Errorf("--ca: %w", err)
		}
	}
	return o, nil
}

func readToken(path string) (string, error) {
	token, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	return strings.TrimSpace(string(token)), nil
}

// attributes are the resource's: what the user gave, and the machine's name.
func (f *otlpFlags) attributes() map[string]string {
	out := map[string]string{}
	if host, err := os.Hostname(); err == nil {
		out["host.name"] = host
	}
	maps.Copy(out, f.resource)
	return out
}

// deliverTime is how long record tries to send.
const deliverTime = time.Minute

// deliver sends one profile, in several requests where it is large.
func (f *otlpFlags) deliver(ctx context.Context, c *send.Client, p *profile.Profile) error {
	parts, err := send.Parts(p, send.MaxRequest, f.attributes())
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	pauses := send.NewBackoff(send.FirstPause, send.LongestPause)
	for i, part := range parts {
		result, err := c.Deliver(limited, rand.Text(), part.Data, pauses)
		if err == nil && result.Rejected > 0 {
			err = fmt.Errorf("the server rejected %d profiles of the request: %s", result.Rejected, result.Message)
		}
		if err != nil && i > 0 {
			err = fmt.Errorf("%d of %d requests were accepted: %w", i, len(parts), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
