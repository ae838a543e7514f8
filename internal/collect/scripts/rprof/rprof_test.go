package rprof

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const text = `line profiling: sample.interval=5000
#File 1: 
"c" 1#3 "collect" 1#9 "print" 
#File 2: R/lib.R
2#12 "<Anonymous>" "lapply" 2#30 "run" 1#4 
"[<-.data.frame" "[<-" 
"half
`

func TestRead(t *testing.T) {
	p, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Call{
		{{Function: "c"}, {Function: "collect", File: Unnamed, Line: 3}, {Function: "print", File: Unnamed, Line: 9}},
		{{Function: "<Anonymous>", File: "R/lib.R", Line: 12}, {Function: "lapply"}, {Function: "run", File: "R/lib.R", Line: 30}, {File: Unnamed, Line: 4}},
		{{Function: "[<-.data.frame"}, {Function: "[<-"}},
		nil,
	}
	if p.Interval != 5*time.Millisecond || len(p.Samples) != len(want) {
		t.Fatalf("%+v", p)
	}
	for i, s := range p.Samples {
		if !reflect.DeepEqual(s.Calls, want[i]) {
			t.Errorf("%d: %+v", i, s.Calls)
		}
	}
	for _, bad := range []string{"", "sample.interval=20000\n\"f\" \n", "line profiling: sample.interval=0\n", "{}\n"} {
		if _, err := Read(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// A function of R's packages is written at the line of the script that has called it, and so
// are an operator and what a package calls itself. One that calls itself on one line has it.
func TestLinesOfCallersAreNotTheirs(t *testing.T) {
	p, err := Read(`line profiling: sample.interval=5000
#File 1: a.R
1#9 "[<-" 1#9 "rbind" 1#9 "collect" 1#20 
1#2 "fib" 1#2 "+" 1#2 "fib" 1#2 "+" 1#2 "fib" 1#21 
1#4 "FUN" 1#12 "lapply" 1#12 "run" 1#22 
`)
	if err != nil {
		t.Fatal(err)
	}
	at := func(function string, line int) Call {
		if line == 0 {
			return Call{Function: function}
		}
		return Call{Function: function, File: "a.R", Line: line}
	}
	want := [][]Call{
		{at("[<-", 0), at("rbind", 0), at("collect", 9), at("", 20)},
		{at("fib", 2), at("+", 0), at("fib", 2), at("+", 0), at("fib", 2), at("", 21)},
		{at("FUN", 4), at("lapply", 0), at("run", 12), at("", 22)},
	}
	for i, s := range p.Samples {
		if !reflect.DeepEqual(s.Calls, want[i]) {
			t.Errorf("%d: %+v", i, s.Calls)
		}
	}
}

// Half of the samples reached the file when the process had used 10 ms and had slept since,
// the others by the end.
func TestMoments(t *testing.T) {
	header := "line profiling: sample.interval=5000\n"
	p, err := Read(header + strings.Repeat("\"f\" \n", 4))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1000, 0)
	ms := func(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }
	half, all := p.Samples[1].End, p.Samples[3].End
	log := []Seen{
		{ms(0), 0, 0}, {ms(10), 10 * time.Millisecond, half}, {ms(1010), 10 * time.Millisecond, half}, {ms(1030), 30 * time.Millisecond, all},
	}
	var got []time.Time
	p.Moments(log, func(at time.Time, _ []Call) { got = append(got, at) })
	if want := []time.Time{ms(5), ms(10), ms(1020), ms(1030)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	p.Moments(nil, func(time.Time, []Call) { t.Error("a time out of nothing") })
}

func FuzzRead(f *testing.F) {
	f.Add(text)
	f.Add("line profiling: sample.interval=20000\n#File x\n1# \"a\" #2 \"\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(text)
		if err != nil {
			return
		}
		last := time.Time{}
		log := []Seen{{time.Unix(1, 0), 0, 0}, {time.Unix(2, 0), time.Second, int64(len(text) / 2)}, {time.Unix(3, 0), 2 * time.Second, int64(len(text))}}
		p.Moments(log, func(at time.Time, calls []Call) {
			if at.Before(last) {
				t.Error("times run backwards")
			}
			last = at
			for _, c := range calls {
				if c.Line < 0 {
					t.Errorf("%+v", c)
				}
			}
		})
	})
}
