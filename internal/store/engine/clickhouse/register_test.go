package clickhouse

import (
	"sync"
	"testing"
)

func FuzzRegister(f *testing.F) {
	f.Add([]byte("1099511627776 7 abcdef"))
	f.Add([]byte("1 0 "))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRegister(data, 3)
		if err != nil {
			return
		}
		again, err := parseRegister(r.text(), 3)
		if err != nil || again != r {
			t.Errorf("%q is %+v, then %+v (%v)", data, r, again, err)
		}
	})
}

// Who watches the lease reads the register while a commit replaces it: a late answer does not
// undo what came after it.
func TestLateAnswerIsNotTheRegister(t *testing.T) {
	var k known
	var all sync.WaitGroup
	for v := range int32(100) {
		all.Go(func() { k.set(register{version: v, number: uint64(v)}) })
		all.Go(func() { _ = k.get() })
	}
	all.Wait()
	if now := k.get(); now.version != 99 || now.number != 99 {
		t.Errorf("%+v", now)
	}
}
