package mcp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"whyhot/internal/mcp/allow"
)

var sizes = flag.Bool("sizes", false, "write bench/mcp.md anew, from 30 profiles")

// Answers on real profiles are bounded, and what was cut can be had.
func TestSizes(t *testing.T) {
	all, err := filepath.Glob("../../bench/catalog/profiles/*.pb.gz")
	if err != nil || len(all) < 30 {
		t.Fatalf("%d profiles, %v", len(all), err)
	}
	n := 4
	if *sizes {
		n = 30
	}
	var rows strings.Builder
	a := newAgent(t, allow.File{}, nil)
	for i := range n {
		path := all[i*len(all)/n]
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a.put("x.pb.gz", string(data))
		rows.WriteString("| " + strings.TrimSuffix(filepath.Base(path), ".pb.gz"))
		p, _ := a.call(toolProfile, map[string]any{"file": "x.pb.gz"})
		lines, ok := p["own"].([]any)
		if !ok {
			lines = p["leaves"].([]any) //nolint:errcheck,forcetypeassert // its schema says so
		}
		hot := lines[0].(map[string]any)["function"] //nolint:errcheck,forcetypeassert // as above
		answers := []map[string]any{p}
		for tool, args := range map[string]map[string]any{
			toolExplain: {"n": 50}, toolSource: {"function": "^" + quoteMeta(fmt.Sprint(hot)) + "$", "n": 200}, toolLeft: {}, toolWhatIf: {"share": 0.2},
		} {
			args["profile"] = p["profile"]
			answer, _ := a.call(tool, args)
			answers = append(answers, answer)
		}
		largest := 0
		for _, answer := range answers {
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			largest = max(largest, len(text))
			if more, cut := answer["more"].(string); cut {
				whole, err := a.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: more})
				if err != nil || len(whole.Contents[0].Text) <= Limit {
					t.Errorf("%s: the whole of a cut answer: %v", path, err)
				}
			}
		}
		explained, _ := a.call(toolExplain, map[string]any{"profile": p["profile"]})
		found, _ := explained["findings"].([]any)
		_, _ = fmt.Fprintf(&rows, " | %v | %d | %v | %d |\n", p["samples"], len(found), p["unexplained"], largest)
	}
	if *sizes {
		text := "# Sizes of answers to agents\n\nThe largest answer of profile, explain (n 50), source (n 200), what_if and left on 30 profiles of `bench/catalog/profiles`, in bytes of text. The bound is 6,144. `go test ./internal/mcp -run Sizes -sizes` writes this table.\n\n| profile | samples | findings | unexplained | largest answer |\n|---|---|---|---|---|\n" + rows.String()
		if err := os.WriteFile("../../bench/mcp.md", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func quoteMeta(s string) string {
	s = strings.TrimSuffix(s, "…")
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
