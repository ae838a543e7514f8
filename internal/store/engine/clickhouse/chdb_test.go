package clickhouse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/enginetest"
)

// The SQL means the same on a ClickHouse of today as on the servers of the other tests:
// it runs on chDB, which is ClickHouse 26 without a server.
func TestSQLOnChDB(t *testing.T) {
	python := os.Getenv("WHYHOT_TEST_CHDB")
	if python == "" {
		t.Skip("WHYHOT_TEST_CHDB names no Python with the package chdb")
	}
	var work struct {
		Statements []string `json:"statements"`
		Queries    []string `json:"queries"`
	}
	golden := making{database: "golden", settings: durable(26, 9)}
	work.Statements = append(work.Statements, "CREATE DATABASE golden")
	work.Statements = append(work.Statements, golden.own()...)
	for _, table := range engine.Tables() {
		work.Statements = append(work.Statements, golden.definition(table, 0))
	}
	commits, cases := enginetest.Golden()
	for i, blocks := range commits {
		for _, p := range split(blocks, 1) {
			work.Statements = append(work.Statements, values(t, p, uint64(i)+1))
		}
	}
	e := &Engine{options: Options{Database: "golden"}}
	for _, c := range cases {
		q := c.Query
		if q.From >= q.To || q.Groups != nil && len(q.Groups) == 0 || q.Series != nil && len(q.Series) == 0 {
			q.Groups, q.Series = nil, nil // the engine asks no server these
			q.From, q.To = 0, 0
		}
		work.Queries = append(work.Queries, sumSQL(e.table(q.Table), q))
	}
	for _, state := range []string{"as committed", "compacted"} {
		for i, answer := range onChDB(t, python, work) {
			if got := added(t, cases[i].Query, answer); got != cases[i].Want {
				t.Errorf("%s, %s:\n%s\nwant\n%s\nof\n%s", cases[i].Name, state, got, cases[i].Want, work.Queries[i])
			}
		}
		for _, table := range engine.Tables() {
			if counted(table) {
				work.Statements = append(work.Statements, "OPTIMIZE TABLE golden."+local(table)+" FINAL")
			}
		}
	}
}

func onChDB(t *testing.T, python string, work any) []string {
	t.Helper()
	in, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), python, "testdata/ask.py")
	c.Stdin = bytes.NewReader(in)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var answers []string
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return answers
}

// added is an answer in Go's hands.
func added(t *testing.T, q engine.Query, answer string) string {
	t.Helper()
	a := newAdder(len(q.By))
	keys := make([]proto.ColUInt32, len(q.By))
	for line := range strings.Lines(answer) {
		cells := strings.Fields(line)
		for i := range keys {
			k, err := strconv.ParseUint(cells[i], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			keys[i] = proto.ColUInt32{uint32(k)}
		}
		period, errP := strconv.ParseInt(cells[len(keys)], 10, 64)
		count, errC := strconv.ParseUint(cells[len(keys)+1], 10, 64)
		if errP != nil || errC != nil || len(cells) != len(keys)+2 {
			t.Fatalf("%q", line)
		}
		if err := a.add(keys, []int64{period}, []uint64{count}); err != nil {
			t.Fatal(err)
		}
	}
	return enginetest.Text(a.sums)
}

// values is the INSERT of a piece as text.
func values(t *testing.T, p *piece, number uint64) string {
	t.Helper()
	in := p.input(number)
	var names, rows []string
	for _, c := range in {
		names = append(names, c.Name)
	}
	for r := range in[0].Data.Rows() {
		var cells []string
		for _, c := range in {
			switch data := c.Data.(type) {
			case *proto.ColUInt8:
				cells = append(cells, fmt.Sprint((*data)[r]))
			case *proto.ColUInt32:
				cells = append(cells, fmt.Sprint((*data)[r]))
			case *proto.ColUInt64:
				cells = append(cells, fmt.Sprint((*data)[r]))
			case *proto.ColInt64:
				cells = append(cells, fmt.Sprint((*data)[r]))
			default:
				t.Fatalf("a %T", data)
			}
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	return fmt.Sprintf("INSERT INTO golden.%s (%s) VALUES %s", local(p.table), strings.Join(names, ", "), strings.Join(rows, ", "))
}
