package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func lines(t *testing.T, path string) []Entry {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []Entry
	for scan := bufio.NewScanner(f); scan.Scan(); {
		var e Entry
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			t.Fatalf("%q: %v", scan.Text(), err)
		}
		out = append(out, e)
	}
	return out
}

func TestWhatComesOftenIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Record(Entry{Who: "abc", Project: "web", What: "GET /api/v1/top", Result: "200", Detail: "a\n\"b\""})
	for range 7 {
		l.Count(Entry{Who: "abc", Project: "web", What: "send", Result: "taken"})
	}
	for i := range maxCounted + 5 {
		l.Count(Entry{Who: "nobody", From: fmt.Sprint(i), What: "send", Result: "401"})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all := lines(t, path)
	if len(all) != 2+maxCounted || all[0].Detail != "a\n\"b\"" || all[0].Time.IsZero() {
		t.Fatalf("%d lines, %+v", len(all), all[0])
	}
	var times int64
	for _, e := range all[1:] {
		times += e.Times
		if e.Who == "abc" && e.Times != 7 || e.Who == "many" && e.Times != 6 {
			t.Errorf("%+v", e)
		}
	}
	if times != 7+maxCounted+5 {
		t.Errorf("%d were counted", times)
	}
}

func TestTheFileIsAppendedToAndTurnedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	for range 2 {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		l.Record(Entry{Who: "a", What: "b", Result: "c"})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(lines(t, path)); n != 2 {
		t.Errorf("%d lines", n)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept + 3 {
		l.size = maxSize
		l.Record(Entry{Who: fmt.Sprint(i), What: "b", Result: "c"})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) != 1+kept {
		t.Errorf("%q, %v", names, err)
	}
	if last := lines(t, path); len(last) != 1 || last[0].Who != fmt.Sprint(kept+2) {
		t.Errorf("%+v", last)
	}
	if before := lines(t, path+".1"); len(before) != 1 || before[0].Who != fmt.Sprint(kept+1) {
		t.Errorf("%+v", before)
	}
}
