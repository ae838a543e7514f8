package api

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"whyhot/internal/server/access"
)

// Names that were never seen take long to be judged: the first table of them is not
// waited for beyond the time of a query, and what was judged by then is not judged again.
func TestTheFirstTableOfManyNamesIsNotWaitedFor(t *testing.T) {
	r := start(t, Limits{QueryTime: time.Minute})
	var folded bytes.Buffer
	for i := range 8000 {
		fmt.Fprintf(&folded, "main;%sf%d%s 1\n", strings.Repeat("clang::ast_matchers::internal::", 6), i, strings.Repeat("<std::basic_string<char> const&>", 6))
	}
	if answer, body := r.do("POST", "/api/v1/push?period=10ms&service=web", "", folded.Bytes(), "Content-Type", "text/plain"); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", answer.Status, body)
	}
	p, done, err := r.projects.Get(t.Context(), access.DefaultProject, true)
	if err == nil {
		defer done()
		err = p.Flush(t.Context())
		done()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.o.Limits.QueryTime = 100 * time.Millisecond
	answer, body := r.do("GET", "/api/v1/top?limit=1", "", nil)
	if answer.StatusCode != http.StatusGatewayTimeout {
		t.Fatalf("the first table: %s after more than the time of a query: %.200s", answer.Status, body)
	}
	for end := time.Now().Add(time.Minute); answer.StatusCode != http.StatusOK; answer, body = r.do("GET", "/api/v1/top?limit=1", "", nil) {
		if answer.StatusCode != http.StatusGatewayTimeout || time.Now().After(end) {
			t.Fatalf("%s: %.200s", answer.Status, body)
		}
	}
	if !strings.Contains(string(body), `"functions":8001`) {
		t.Errorf("%.300s", body)
	}
}
