package posterior

import (
	"math"
	"testing"
)

func everywhere(i int) Price {
	return Price{Round: 1, Build: func(int) float64 { return 10 }, Works: func(c int) float64 {
		if c == i {
			return 0
		}
		return 1
	}}
}

// With the two ends known alone, every commit is as likely, and the middle tells most.
func TestTheMiddleTellsMost(t *testing.T) {
	m := New(64, 0.02)
	m.Observe(64, 0.1, 0.11, 0.09, 0.1, 0.105, 0.095)
	b := m.Belief()
	sum := 0.0
	for _, p := range b.P[1:] {
		sum += p
		if math.Abs(p-1.0/64) > 1e-9 {
			t.Fatalf("not uniform: %v", b.P)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("probabilities add up to %v", sum)
	}
	c, ok := b.Next(everywhere(0))
	if !ok || c.Commit != 32 || c.Bits < 0.9 {
		t.Errorf("%+v", c)
	}
	if c, _ := b.Next(everywhere(32)); c.Commit != 31 && c.Commit != 33 {
		t.Errorf("beside a commit that does not work: %+v", c)
	}
}

// A commit whose rounds scatter widely between two others' levels is measured again and
// not believed.
func TestADisturbedCommitIsInDoubt(t *testing.T) {
	m := New(3, 0.02)
	m.Observe(3, 0.1, 0.101, 0.099, 0.1, 0.1, 0.102, 0.098, 0.1)
	m.Observe(1, 0, 0.001, -0.001, 0)
	m.Observe(2, 0.4, 0.001)
	b := m.Belief()
	if b.P[2] > 0.9 || b.P[3] > 0.9 {
		t.Errorf("decided by a disturbed round: %v", b.P)
	}
	if c, ok := b.Next(everywhere(0)); !ok || c.Commit != 2 {
		t.Errorf("%+v", c)
	}
	m.Observe(2, 0.001, 0, -0.001, 0.001, 0, 0)
	if b := m.Belief(); b.P[3] < 0.99 {
		t.Errorf("after more rounds: %v", b.P)
	}
}

// Equal programs leave no room for a change between them.
func TestEqualCommitsHaveNoProbability(t *testing.T) {
	m := New(5, 0.02)
	m.Observe(5, 0.1, 0.1, 0.101, 0.099)
	m.Equal(4, 1)
	b := m.Belief()
	if b.P[2]+b.P[3]+b.P[4] != 0 || math.Abs(b.P[1]-0.5) > 1e-9 || math.Abs(b.P[5]-0.5) > 1e-9 {
		t.Errorf("%v", b.P)
	}
}

// A measurement tells nothing of what is known, and at most one bit.
func TestInformation(t *testing.T) {
	if information(0, 5) != 0 || information(1, 5) != 0 || information(0.5, 0) != 0 {
		t.Error("something is told of what is known")
	}
	if v := information(0.5, 12); math.Abs(v-1) > 1e-3 {
		t.Errorf("a clear measurement has %v bits", v)
	}
	if a, b := information(0.5, 1), information(0.5, 2); a <= 0 || b <= a {
		t.Errorf("%v, %v", a, b)
	}
}
