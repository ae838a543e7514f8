package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"whyhot/internal/host/printable"
	"whyhot/internal/mcp/allow"
)

// Limit is the most bytes that the text of an answer has.
const Limit = 6 << 10

// scheme begins the addresses of whole answers.
const scheme = "whyhot://answer/"

// mostKept is how many whole answers are kept.
const mostKept = 64

// Base is in every answer.
type Base struct {
	Unexplained *float64 `json:"unexplained" jsonschema:"share of the CPU that no finding is about; null where it is not known"`
	More        string   `json:"more,omitempty" jsonschema:"address of the whole answer, where this one was cut"`
	Error       string   `json:"error,omitempty" jsonschema:"what was wrong"`
	Hint        string   `json:"hint,omitempty" jsonschema:"what to do about it"`
	RetryWith   string   `json:"retry_with,omitempty" jsonschema:"arguments that would work, or the line that the user may add to .whyhot.yaml"`
}

func (b *Base) base() *Base { return b }

// answer is what a tool gives.
type answer interface {
	base() *Base
	// shorten leaves out what matters least; false where there is no more to leave out.
	shorten() bool
}

// problem is an error with a way out.
type problem struct{ text, hint, retry string }

func (p *problem) Error() string { return p.text }

func wrong(text, hint, retry string) error { return &problem{text, hint, retry} }

// describe fills the parts of an error.
func (b *Base) describe(err error) {
	b.Error = clip(err.Error(), 600)
	if p, ok := errors.AsType[*problem](err); ok {
		b.Hint, b.RetryWith = p.hint, p.retry
		return
	}
	if r, ok := errors.AsType[*allow.RefusedError](err); ok {
		b.Hint = "ask the user to add the line in retry_with to " + allow.Name + " in the root, and to restart the server; what is already allowed can be used"
		b.RetryWith = r.Add
		return
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.Hint = "paths start at the root of the server; record a profile with command, or name a file that exists"
	case errors.Is(err, context.Canceled):
		b.Hint = "the call was cancelled; call again"
	default:
		b.Hint = "see error"
	}
}

// result is an answer as the protocol has it: the same as data and as text.
func (s *Server) result(name string, a answer, failed bool) (*sdk.CallToolResult, error) {
	whole, err := encode(a)
	if err != nil {
		return nil, err
	}
	text := whole
	cut := len(whole) > Limit
	if cut {
		a.base().More = s.keep(name, whole)
	}
	for len(text) > Limit && a.shorten() {
		if text, err = encode(a); err != nil {
			return nil, err
		}
	}
	if len(text) > Limit {
		return nil, fmt.Errorf("an answer of %s has %d bytes", name, len(text))
	}
	out := &sdk.CallToolResult{
		IsError: failed, StructuredContent: json.RawMessage(text), Content: []sdk.Content{&sdk.TextContent{Text: string(text)}},
	}
	if cut {
		size := int64(len(whole))
		out.Content = append(out.Content, &sdk.ResourceLink{
			URI: a.base().More, Name: name, Description: "the whole answer", MIMEType: "application/json", Size: &size,
		})
	}
	return out, nil
}

// encode is JSON that does not spend bytes on <, > and &, of which source has many.
func encode(a answer) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(a)
	return bytes.TrimSpace(b.Bytes()), err
}

// keep holds a whole answer for a while.
func (s *Server) keep(name string, whole []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := scheme + s.id(name+"-")
	s.more[at] = whole
	s.order = append(s.order, at)
	if len(s.order) > mostKept {
		delete(s.more, s.order[0])
		s.order = slices.Clone(s.order[1:])
	}
	return at
}

// read gives a whole answer.
func (s *Server) read(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.more[req.Params.URI]
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)}}}, nil
}

// clip makes text from others safe and at most n bytes long.
func clip(text string, n int) string {
	text = strings.TrimSpace(printable.Text(spaced(text)))
	if len(text) <= n {
		return text
	}
	text = text[:n-len("…")]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// spaced has spaces for tabs, which would be shown as what they are not: a backslash and a t.
func spaced(text string) string { return strings.ReplaceAll(text, "\t", "  ") }

// clipLines is clip for text of several lines.
func clipLines(text string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = printable.Text(spaced(strings.TrimSuffix(line, "\n"))) + "\n"
		if b.Len()+len(line) > n {
			return b.String() + "…\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// drop leaves out the last of a list, down to a number of them.
func drop[T any](list *[]T, least int) bool {
	if len(*list) <= least {
		return false
	}
	*list = (*list)[:len(*list)-1]
	return true
}

// rounded is a share without digits that say nothing.
func rounded(share float64) float64 {
	const digits = 1e4
	return float64(int64(share*digits+0.5)) / digits
}
