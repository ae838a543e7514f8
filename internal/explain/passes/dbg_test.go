package passes

import (
	"fmt"
	"os"
	"testing"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/judge"
	"whyhot/internal/ingest"
)

func TestDbg(t *testing.T) {
	p, err := ingest.Open(t.Context(), os.Getenv("DBG"), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts := binfacts.New()
	r := newReader(judge.Subject{Profile: p, Facts: facts})
	for _, h := range r.hottest() {
		fn := p.Function(h.line.Function)
		f := r.file(h.line.Function)
		fmt.Println("==", fn.Name, fn.File, h.line.Line, h.share, "calls", h.calls, p.Function(h.callee).Name, r.lines.IsOwn(h.callee), f != nil)
		if f == nil {
			continue
		}
		st, _ := f.Statement(int(h.line.Line))
		c, own, ok := r.called(f, h, st)
		fmt.Println("  ", st, "|", c, own, ok)
		if ok {
			fmt.Println("   value", isValue(st, c), "gives", gives(c), "names", namesOf(f, c), "loops", f.Loops(int(h.line.Line)))
			if own {
				fmt.Println("   pure", r.isPure(h.callee))
			}
			_, ok := r.same(h)
			fmt.Println("   same", ok)
		}
	}
	for line, rows := range r.innermost {
		f := r.file(line.Function)
		if f == nil || len(rows) < 30 {
			continue
		}
		l, ok := r.searching(f, line)
		fmt.Println("-- ", p.Function(line.Function).Name, line.Line, len(rows), l, ok)
		if ok {
			x, ok := r.search(f, l, line)
			fmt.Println("    ", x.over, x.key, ok)
		}
	}
}
