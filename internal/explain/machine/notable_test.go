package machine

import "testing"

// A listing has the ends, what is hot and what the hot samples are meant for, and says how
// many instructions it leaves out.
func TestRows(t *testing.T) {
	l := Loop{Self: 1000, Instructions: make([]Instruction, 40)}
	for i := range l.Instructions {
		l.Instructions[i].Address = uint64(0x100 + i)
	}
	l.Instructions[21].Self, l.Instructions[21].For = 900, 0x100+20
	l.Instructions[30].Self, l.Instructions[30].For = 1, 0x100+29 // too little to count
	rows := l.Rows(false)
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	first, cause, hot, last := rows[0], rows[1], rows[2], rows[3]
	if !first.First || first.Left != 0 || !last.Last || last.Left != 17 {
		t.Errorf("ends: %+v, %+v", first, last)
	}
	if cause.Address != 0x100+20 || cause.Meant != 900 || cause.Left != 19 || cause.For != 0 {
		t.Errorf("what the samples are meant for: %+v", cause)
	}
	if hot.Address != 0x100+21 || hot.For != 0x100+20 || hot.Left != 0 || hot.Meant != 0 {
		t.Errorf("the hot one: %+v", hot)
	}
	all := l.Rows(true)
	if len(all) != 40 || all[30].For != 0 || all[29].Meant != 0 {
		t.Errorf("%d rows; what does not count: %+v, %+v", len(all), all[29], all[30])
	}
}
