package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// What is kept is what was read: every field of every entry.
func TestWhatIsKeptIsWhatWasRead(t *testing.T) {
	want, err := readBuiltin()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deep", "0123.json")
	keep(path, want)
	got, ok := recall(path)
	if !ok {
		t.Fatal("nothing was kept")
	}
	if len(got.Entries) != len(want.Entries) || len(want.Entries) < 600 {
		t.Fatalf("%d entries, %d were read", len(got.Entries), len(want.Entries))
	}
	for i := range want.Entries {
		same(t, want.Entries[i].ID, reflect.ValueOf(want.Entries[i]), reflect.ValueOf(got.Entries[i]))
	}
	same(t, "families", reflect.ValueOf(want.Families), reflect.ValueOf(got.Families))
	same(t, "runtimes", reflect.ValueOf(want.Runtimes), reflect.ValueOf(got.Runtimes))
	same(t, "memory", reflect.ValueOf(want.Memory), reflect.ValueOf(got.Memory))
}

// same compares two values field by field; patterns by their text.
func same(t *testing.T, at string, want, got reflect.Value) {
	t.Helper()
	if p, ok := want.Interface().(Pattern); ok {
		if q, ok := got.Interface().(Pattern); !ok || p.String() != q.String() {
			t.Errorf("%s: the pattern %q is %q", at, p, q)
		}
		return
	}
	switch want.Kind() { //nolint:exhaustive // the others are compared as they are
	case reflect.Struct:
		for i := range want.NumField() {
			same(t, at+"."+want.Type().Field(i).Name, want.Field(i), got.Field(i))
		}
	case reflect.Slice:
		if want.Len() != got.Len() {
			t.Errorf("%s: %d, not %d", at, got.Len(), want.Len())
			return
		}
		for i := range want.Len() {
			same(t, fmt.Sprintf("%s[%d]", at, i), want.Index(i), got.Index(i))
		}
	case reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			if want.IsNil() != got.IsNil() {
				t.Errorf("%s: one is nil", at)
			}
			return
		}
		same(t, at, want.Elem(), got.Elem())
	default:
		if !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Errorf("%s: %v, not %v", at, got, want)
		}
	}
}

// What is damaged is read from YAML again; of many, the newest stay.
func TestWhatIsKeptIsBounded(t *testing.T) {
	dir := t.TempDir()
	torn := filepath.Join(dir, "torn.json")
	for _, text := range []string{"", "{}", `{"Entries":[{"ID":"a"`} {
		if err := os.WriteFile(torn, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := recall(torn); ok {
			t.Errorf("%q was taken for a catalogue", text)
		}
	}
	c := &Catalog{Entries: []Entry{{ID: "a"}}}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range manyKept + 2 {
		name := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		keep(name, c)
		if err := os.Chtimes(name, start, start.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	keep(filepath.Join(dir, "new.json"), c)
	left, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(left) != manyKept {
		t.Fatalf("%d are left, not %d (%v)", len(left), manyKept, err)
	}
	if _, ok := recall(filepath.Join(dir, "new.json")); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := recall(filepath.Join(dir, "0.json")); ok {
		t.Error("the oldest is there")
	}
}
