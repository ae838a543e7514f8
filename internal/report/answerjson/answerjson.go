// Package answerjson writes an answer as JSON for --json: indented, and with the version
// of whyhot that wrote it.
//
// It owns that form. It takes any value that encodes to JSON, and gives bytes. It must
// never know what the value means.
package answerjson

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"whyhot/internal/host/version"
)

// Write encodes v. An object that does not say so itself has the version in "whyhot", for
// who reads it later; a list stays a list.
func Write(w io.Writer, v any) error {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text, err := stamped(plain.Bytes(), version.String())
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

func stamped(text []byte, by string) ([]byte, error) {
	if !bytes.HasPrefix(text, []byte("{")) {
		return text, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	if _, there := fields["whyhot"]; there {
		return text, nil
	}
	name, err := json.Marshal(by)
	if err != nil {
		return nil, err
	}
	if len(fields) > 0 {
		name = append(name, ',')
	}
	return slices.Concat([]byte(`{"whyhot":`), name, text[1:]), nil
}
