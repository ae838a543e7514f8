package rscript

import "testing"

const text = `# a comment with function(x) {
collect <- function(n) {
  all <- NULL
  for (i in 1:n) {
    all <- rbind(all, data.frame(a = i, b = "} rbind("))
  }
  all
}
short <- function(x) sum(x)
"%+%" <- function(a, b) paste(a, b)
main <- function() {
  helper = function(z) {
    z + 1
  }
  helper(2)
}
d <- data.frame(x = 1:3)
for (i in 1:3) {
  d[i, "x"] <- collect(i)
  v[i] <- d$x[i]
}
print(d)
print(v)
`

func TestCalls(t *testing.T) {
	s := Read(text)
	for _, c := range []struct {
		function string
		within   []string
		want     int
	}{
		{"collect", nil, 19}, {"rbind", nil, 0}, {"data.frame", nil, 17}, {"print", nil, 0}, {"print", []string{"collect"}, 0},
		{"[<-", nil, 0}, {"[<-", []string{"[<-.data.frame"}, 19}, {"sum", nil, 9}, {"none", nil, 0}, {"(", nil, 0},
	} {
		if got := s.Calls(c.function, c.within...); got != c.want {
			t.Errorf("%s within %v: line %d, want %d", c.function, c.within, got, c.want)
		}
	}
}

func TestBase(t *testing.T) {
	s := Read(text)
	for function, want := range map[string]int{"collect": 2, "helper": 11, "main": 11, "short": 9, "%+%": 10, "FUN": 0, "": 0} {
		if got := s.Base(function); got != want {
			t.Errorf("%s: line %d, want %d", function, got, want)
		}
	}
	if got := s.BaseOf(19); got != 18 {
		t.Errorf("the loop begins in line %d", got)
	}
	if s.BaseOf(0) != 0 || s.BaseOf(1000) != 0 {
		t.Error("a line that there is none of")
	}
	if twice := Read("f <- function() 1\nf <- function() 2\n"); twice.Base("f") != 0 {
		t.Error("one of two definitions")
	}
}

// R reads a script in Latin-1, and names its functions so.
func TestOtherEncoding(t *testing.T) {
	s := Read("gr\xf6\xdfe <- function(x) x\nprint(gr\xf6\xdfe(1))\n")
	if at := s.Base("gr\xf6\xdfe"); at != 1 {
		t.Errorf("the function is in line %d", at)
	}
	if at := s.Calls("gr\xf6\xdfe"); at != 0 {
		t.Errorf("a name that is no plain one is not looked for: %d", at)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(text, "collect")
	f.Add("f<-function(`)}]", "[<-")
	f.Fuzz(func(t *testing.T, text, function string) {
		s := Read(text)
		for _, line := range []int{s.Calls(function, function), s.Base(function), s.BaseOf(len(text))} {
			if line < 0 || line > s.Len() {
				t.Errorf("line %d of %d", line, s.Len())
			}
		}
	})
}
