package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/fleet/send"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/report/term"
	"whyhot/internal/server/client"
)

// Parameters of the API.
const (
	keyService   = "service"
	keyVersion   = "version"
	keyHost      = "host"
	keyContainer = "container"
	keyFrom      = "from"
)

// serverFlags say which server is spoken to, and as whom.
type serverFlags struct {
	url, project, tokenFile, ca string
}

func (f *serverFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.project, "project", "", "`NAME` of the server's project (default: the token's)")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token for the server")
	flags.StringVar(&f.ca, "ca", "", "trust only the certificate authorities in this `FILE` (PEM)")
}

func (f *serverFlags) client() (*client.Client, error) {
	o := client.Options{URL: f.url, Project: f.project, Missing: func(parts string) {
		fmt.Fprintf(os.Stderr, "whyhot: a part of the samples cannot be queried now (%s): the answer is about the rest\n", parts)
	}}
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		o.Token = token
	}
	if f.ca != "" {
		pool, err := send.Authorities(f.ca)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return client.New(o)
}

// words are the flags that were given, to be given again.
func (f *serverFlags) words() []string {
	var out []string
	for _, flag := range [][2]string{{"--project", f.project}, {"--token-file", f.tokenFile}, {"--ca", f.ca}} {
		if flag[1] != "" {
			out = append(out, flag[0], flag[1])
		}
	}
	return out
}

// remoteFlags choose the samples of a server that a command looks at in place of a file.
type remoteFlags struct {
	serverFlags

	service, version, host, container []string
	last, since, until                string
	half                              half // of a comparison
}

// half is what one side of a comparison chooses.
type half struct {
	text   string
	values url.Values
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	if flags.Lookup(keyFrom) == nil {
		flags.StringVar(&f.url, keyFrom, "", "query the server at `URL` instead of a FILE, with the flags below")
	}
	flags.StringArrayVar(&f.service, keyService, nil, "samples of the service `NAME` (repeatable, as the next three)")
	flags.StringArrayVar(&f.version, keyVersion, nil, "of the `VERSION`")
	flags.StringArrayVar(&f.host, keyHost, nil, "of the host `NAME`")
	flags.StringArrayVar(&f.container, keyContainer, nil, "of the container `ID`")
	flags.StringVar(&f.last, "last", "", "of the last `TIME`, such as 24h or 7d (default 1h)")
	flags.StringVar(&f.since, "since", "", "from `TIME` on: 2h (ago), 2026-11-22, 2026-11-22 10:00, or RFC 3339")
	flags.StringVar(&f.until, "until", "", "up to `TIME` (default: now)")
	f.serverFlags.add(flags)
}

func (f *remoteFlags) on() bool { return f.url != "" }

// check refuses what means nothing without a server, or twice the same.
func (f *remoteFlags) check(cmd *cobra.Command) error {
	if !f.on() {
		for _, name := range []string{keyService, keyVersion, keyHost, keyContainer, "last", "since", "until", "project", "token-file", "ca"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for the profiles of a server: give it with --from URL", name)
			}
		}
		return nil
	}
	if _, err := f.client(); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if f.last != "" && (f.since != "" || f.until != "") {
		return errors.New("--last and --since or --until contradict each other")
	}
	return nil
}

var ago = regexp.MustCompile(`^\d+[smhdw]$`)

// moment is a time as the server reads it.
func moment(flag, text string) (string, error) {
	switch {
	case text == "", text == "now", strings.HasPrefix(text, "now-"):
		return text, nil
	case ago.MatchString(text):
		return "now-" + text, nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil { //nolint:gosmopolitan // people type the time of where they are
			return t.Format(time.RFC3339), nil
		}
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return text, nil
	}
	return "", fmt.Errorf("%s %s: give a time such as 2h (ago), 2026-11-22, \"2026-11-22 10:00\" or RFC 3339", flag, term.Quote(text))
}

// selection are the parameters of the API.
func (f *remoteFlags) selection() (url.Values, error) {
	v := url.Values{}
	for name, list := range map[string][]string{keyService: f.service, keyVersion: f.version, keyHost: f.host, keyContainer: f.container} {
		if len(list) > 0 {
			v[name] = list
		}
	}
	if f.last != "" {
		if !ago.MatchString(f.last) {
			return nil, fmt.Errorf("--last %s: give a time such as 30m, 24h or 7d", f.last)
		}
		v.Set(keyFrom, "now-"+f.last)
	}
	for flag, at := range map[string][2]string{"--since": {keyFrom, f.since}, "--until": {"to", f.until}} {
		text, err := moment(flag, at[1])
		if err != nil {
			return nil, err
		}
		if text != "" {
			v.Set(at[0], text)
		}
	}
	maps.Copy(v, f.half.values)
	return v, nil
}

// name is how the samples are called in headers and errors.
func (f *remoteFlags) name() string {
	parts := []string{strings.TrimRight(f.url, "/")}
	for _, list := range [][]string{f.service, f.version, f.host, f.container} {
		parts = append(parts, list...)
	}
	switch {
	case f.half.text != "":
		parts = append(parts, f.half.text)
	case f.last != "":
		parts = append(parts, "last "+f.last)
	case f.since != "" || f.until != "":
		parts = append(parts, strings.TrimSpace(strings.Join([]string{f.since, "…", f.until}, " ")))
	default:
		parts = append(parts, "last 1h")
	}
	return strings.Join(parts, " ")
}

// words are the flags that choose the same samples again.
func (f *remoteFlags) words() []string {
	out := []string{"--from", f.url}
	for _, flag := range []struct {
		name string
		list []string
	}{{"--service", f.service}, {"--version", f.version}, {"--host", f.host}, {"--container", f.container}, {"--last", one(f.last)}, {"--since", one(f.since)}, {"--until", one(f.until)}} {
		for _, v := range flag.list {
			out = append(out, flag.name, v)
		}
	}
	return append(out, f.serverFlags.words()...)
}

func one(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// open asks for the samples, with the labels by beside those that all have.
func (f *remoteFlags) open(ctx context.Context, where string, by []string) (io.ReadCloser, error) {
	c, err := f.client()
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	v, err := f.selection()
	if err != nil {
		return nil, err
	}
	if where != "" {
		v.Set("where", where)
	}
	if len(by) > 0 {
		v["by"] = by
	}
	body, err := c.Profile(ctx, v)
	refused := (*client.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Kind == "not_found" && refused.Helped != "" {
		return nil, nothingThere(ctx, c, v, refused)
	}
	return body, err
}

// nothingThere says when there were samples of it, and of what there are some at that time.
func nothingThere(ctx context.Context, c *client.Client, selection url.Values, refused *client.RefusedError) error {
	text := "the server says: " + refused.Detail
	last, err := c.LastSeen(ctx, selection)
	switch {
	case err != nil:
	case last.IsZero():
		text += ", nor in the last 90 days"
	default:
		text += fmt.Sprintf("; the last ones are of %s UTC: %s looks that far back", last.UTC().Format("2006-01-02 15:04"), lastFlag(time.Since(last)))
	}
	all := url.Values{}
	for _, name := range []string{keyFrom, "to"} {
		if selection.Has(name) {
			all[name] = selection[name]
		}
	}
	if others := otherValues(ctx, c, selection, all); len(others) > 0 {
		return errors.New(text + "; at that time " + strings.Join(others, ", and "))
	}
	services, err := c.Services(ctx, all)
	switch {
	case err != nil:
		return refused
	case len(services) == 0:
		return errors.New(text + "; nothing else is there at that time either")
	}
	meant := ""
	for _, name := range selection[keyService] {
		if close, ok := label.Closest(name, services); ok && !slices.Contains(services, name) {
			meant = "did you mean " + close + "? "
		}
	}
	return errors.New(text + "; " + meant + "the services of that time are " + some(services))
}

// otherValues says which values the labels have that a condition names.
func otherValues(ctx context.Context, c *client.Client, selection, all url.Values) (out []string) {
	e, err := where.Parse(selection.Get("where"))
	if err != nil {
		return nil
	}
	const most = 3
	for _, key := range e.Keys()[:min(most, len(e.Keys()))] {
		values, err := c.Labels(ctx, key, all)
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
		if err == nil && len(values) > 0 {
			out = append(out, key+" is "+some(values))
		}
	}
	return out
}

// some are the first of a list.
func some(list []string) string {
	const most = 8
	if len(list) > most {
		list = append(list[:most:most], "…")
	}
	return strings.Join(list, ", ")
}

// lastFlag is the flag for a time that reaches back so far.
func lastFlag(back time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case back < time.Hour:
		return "--last 1h"
	case back < day:
		return fmt.Sprintf("--last %dh", back/time.Hour+1)
	}
	return fmt.Sprintf("--last %dd", back/day+1)
}

// parseHalf reads one side of a comparison: a range FROM..TO, or VALUE=…, several
// separated by commas.
func parseHalf(text string) (half, error) {
	h := half{text: text, values: url.Values{}}
	for part := range strings.SplitSeq(text, ",") {
		if from, to, ok := strings.Cut(part, ".."); ok {
			for name, at := range map[string]string{keyFrom: from, "to": to} {
				m, err := moment(text, at)
				if err != nil {
					return h, err
				}
				if m != "" {
					h.values.Set(name, m)
				}
			}
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		switch name {
		case keyService, keyVersion, keyHost, keyContainer, profile.LabelProcess:
		default:
			ok = false
		}
		if !ok || value == "" {
			return h, fmt.Errorf("%s: with --from, each side of a comparison is a range such as 48h..24h, or version=1.4 (also service, host, container, process), several separated by commas", term.Quote(text))
		}
		h.values.Add(name, value)
	}
	return h, nil
}
