package receive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxTextNesting is maxNesting for JSON, where each message of a list lies in the
// list, too.
const maxTextNesting = 2 * maxNesting

// nest is one object or list of a JSON text that was not closed yet.
type nest struct {
	of     *shape // of the object, or of the list's elements; nil where names are not checked
	inner  *shape // of the value that stands next in an object
	object bool
	inName bool // the next token is a name
}

// textWalk reads a JSON text token by token.
type textWalk struct {
	budget
	open []nest
}

// checkText is checkBounds for the JSON form.
func checkText(text []byte, limit int) (unknown string, err error) {
	w := textWalk{budget: budget{left: limit}, open: []nest{{of: requestShape}}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // an index or a time need not fit a float
	for texts := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(w.open) == 1 {
			return w.unknown, nil
		}
		if err != nil {
			return "", fmt.Errorf("no JSON: %w", err)
		}
		if err := w.token(token); err != nil {
			return "", err
		}
		if len(w.open) == 1 { // the parser would leave out all but the first
			if texts++; texts > 1 {
				return "", errors.New("more than one JSON text; send one a request")
			}
		}
	}
}

func (w *textWalk) token(t json.Token) error {
	top := &w.open[len(w.open)-1]
	switch t := t.(type) {
	case json.Delim:
		if t == '}' || t == ']' {
			w.open = w.open[:len(w.open)-1]
			w.open[len(w.open)-1].inName = w.open[len(w.open)-1].object
			return nil
		}
		if len(w.open) > maxTextNesting {
			return errNesting
		}
		of := top.of
		if top.object {
			of = top.inner
		}
		w.open = append(w.open, nest{of: of, object: t == '{', inName: t == '{'})
		return w.spend(messageCost)
	case string:
		if top.inName {
			top.inner, top.inName = w.field(top.of, t), false
			return nil
		}
		top.inName = top.object
		return w.spend(textCost + len(t))
	}
	top.inName = top.object
	return w.spend(numberCost)
}

// field is the type of the field of that name, nil where it is not checked. Names
// are written in either of the protocol's ways, fooBar and foo_bar.
func (w *textWalk) field(of *shape, name string) *shape {
	if of == nil || of.names == nil {
		return nil
	}
	i := slices.IndexFunc(of.names, func(n string) bool { return n == name || camel(n) == name })
	if i < 0 {
		if w.unknown == "" {
			w.unknown = fmt.Sprintf("%.100q of %s", name, of.name)
		}
		return nil
	}
	return of.fields[protowire.Number(i+1)].to
}

// camel turns foo_bar into fooBar.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
