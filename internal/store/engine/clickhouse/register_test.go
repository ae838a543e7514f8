package clickhouse

import (
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
