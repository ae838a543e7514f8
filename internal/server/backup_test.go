package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"whyhot/internal/store"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// A backup has what was acknowledged before, and makes a store of its own; one that breaks off
// makes none.
func TestBackup(t *testing.T) {
	r := start(t, nil)
	if status, _, text := r.answer(http.MethodPost, "/api/v1/push?service=web&id=a-1&period=10ms", folded); status != http.StatusOK {
		t.Fatalf("a push: %d %s", status, text)
	}
	status, header, saved := r.answer(http.MethodGet, "/api/v1/backup", "")
	if status != http.StatusOK || header.Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("%d %v", status, header)
	}
	for _, c := range []struct {
		project, body string
		status        int
		says          string
	}{
		{"copy", saved[:len(saved)/2], http.StatusBadRequest, "no whole backup"},
		{"copy", "main;work 3\n", http.StatusBadRequest, "no whole backup"},
		{"default", saved, http.StatusConflict, "not empty"},
		{"copy", saved, http.StatusOK, `{"project":"copy","rows":`},
		{"copy", saved, http.StatusConflict, "not empty"},
	} {
		status, _, text := r.answer(http.MethodPost, "/api/v1/projects/"+c.project+"/restore?project="+c.project, c.body)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("restoring %d bytes as %s: %d %s", len(c.body), c.project, status, text)
		}
	}
	if _, _, text := r.answer(http.MethodGet, "/api/v1/top?project=copy", ""); !strings.Contains(text, `"count":40`) {
		t.Errorf("the restored project: %s", text)
	}
	e := memory.New()
	if err := store.Import(t.Context(), e, strings.NewReader(saved), nil); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), t.TempDir(), func(context.Context, string) (engine.Engine, error) { return e, nil }, store.Options{Names: store.NameOptions{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	top, err := s.Top(t.Context(), store.Selection{From: time.Now().Add(-time.Hour), To: time.Now()}, store.TopOptions{})
	if err != nil || top.Basis.Count != 40 {
		t.Errorf("%+v, %v", top, err)
	}
	if err := store.Import(t.Context(), memory.New(), strings.NewReader(saved[:len(saved)/2]), nil); err == nil {
		t.Error("half a backup was taken for a whole one")
	}
}
