package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// whyhot is our server, over its API (docs/api/openapi.yaml).
type whyhot struct{ address string }

func (w *whyhot) push(ctx context.Context, f file, data []byte) error {
	q := url.Values{"service": {f.service}, "container": {f.container}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.address+"/api/v1/push?"+q.Encode(), bytes.NewReader(data))
	if err != nil {
		return err
	}
	_, err = call(req)
	return err
}

func (w *whyhot) ask(ctx context.Context, q question) (answer, error) {
	values := url.Values{
		"from": {q.from.UTC().Format(time.RFC3339)}, "to": {q.to.UTC().Format(time.RFC3339)}, "exact": {"true"},
	}
	if q.service != "" {
		values.Set("service", q.service)
	}
	path := map[string]string{top: "top", flame: "tree", calls: "callgraph"}[q.kind]
	if q.kind == calls {
		id, err := w.function(ctx, values, q.function)
		if err != nil {
			return answer{}, err
		}
		values.Set("function", id)
	}
	data, err := w.get(ctx, path, values)
	if err != nil {
		return answer{}, err
	}
	var read struct {
		Basis struct{ Value int64 }
		Rows  []struct {
			Function struct{ Name string }
			Self     int64
		}
		Total                    json.RawMessage
		Parent, Callers, Callees []json.RawMessage
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return answer{}, err
	}
	a := answer{total: read.Basis.Value, bytes: len(data), nodes: len(read.Rows) + len(read.Parent) + len(read.Callers) + len(read.Callees)}
	for _, row := range read.Rows {
		a.hottest = append(a.hottest, hot{row.Function.Name, row.Self})
	}
	return a, nil
}

func (w *whyhot) get(ctx context.Context, path string, values url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.address+"/api/v1/"+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return call(req)
}

// function finds the function of a name. A page has it from the list that was clicked
// on; here it is part of what is timed.
func (w *whyhot) function(ctx context.Context, values url.Values, name string) (string, error) {
	with := url.Values{"q": {name}}
	for k, v := range values {
		with[k] = v
	}
	data, err := w.get(ctx, "functions", with)
	if err != nil {
		return "", err
	}
	var read struct {
		Functions []struct {
			ID   json.RawMessage
			Name string
		}
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return "", err
	}
	for _, f := range read.Functions {
		if f.Name == name {
			var id string
			if json.Unmarshal(f.ID, &id) != nil {
				id = string(f.ID)
			}
			return id, nil
		}
	}
	return "", fmt.Errorf("no function %q", name)
}
