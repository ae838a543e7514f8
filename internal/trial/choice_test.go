package trial

import (
	"strings"
	"testing"
	"time"
)

func TestMetricChoice(t *testing.T) {
	for _, c := range []struct {
		choice MetricChoice
		want   Metric
		wrong  string
	}{
		{MetricChoice{}, Wall, ""},
		{MetricChoice{Name: "cpu"}, CPU, ""},
		{MetricChoice{Pattern: `(\d+)`, Unit: "req/s", HigherIsBetter: true}, Number, ""},
		{MetricChoice{Pattern: `(\d+)`, Name: "memory"}, Memory, ""},
		{MetricChoice{Name: "number"}, "", "--metric-regex"},
		{MetricChoice{Unit: "s"}, "", "--metric-regex"},
		{MetricChoice{HigherIsBetter: true}, "", "--metric-regex"},
		{MetricChoice{Pattern: `\d+`}, "", "no group"},
		{MetricChoice{Name: "speed"}, "", "unknown metric"},
	} {
		var p Plan
		err := c.choice.Apply(&p)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: %v", c.choice, err)
			}
			continue
		}
		if err != nil || p.Metric != c.want || (p.Number != nil) != (c.choice.Pattern != "") {
			t.Errorf("%+v: %s, %v, %v", c.choice, p.Metric, p.Number, err)
		}
	}
}

func TestSchedule(t *testing.T) {
	minute, zero, seed := time.Minute, time.Duration(0), uint64(0)
	for _, c := range []struct {
		s    Schedule
		want Plan // nothing but the seed where it is an error
	}{
		{Schedule{WarmUps: 1}, Plan{WarmUps: 1, Budget: usualBudget}},
		{Schedule{WarmUps: 1, Rounds: 9}, Plan{WarmUps: 1, Rounds: 9}},
		{Schedule{WarmUps: 2, Budget: &minute, Rounds: 9}, Plan{WarmUps: 2, Rounds: 9, Budget: minute}},
		{Schedule{}, Plan{}},
		{Schedule{WarmUps: 1, Rounds: -1}, Plan{}},
		{Schedule{WarmUps: 1, Budget: &zero}, Plan{}},
		{Schedule{WarmUps: 1, Timeout: -1}, Plan{}},
		{Schedule{WarmUps: 1, Pin: []int{1024}}, Plan{}},
	} {
		c.s.Seed = &seed
		var p Plan
		err := c.s.Apply(&p)
		if (err != nil) != (c.want.WarmUps == 0) {
			t.Errorf("%+v: %v", c.s, err)
		}
		if err == nil && (p.WarmUps != c.want.WarmUps || p.Rounds != c.want.Rounds || p.Budget != c.want.Budget || p.Seed != 0) {
			t.Errorf("%+v: %+v", c.s, p)
		}
	}
	var a, b Plan
	s := Schedule{WarmUps: 1}
	if s.Apply(&a) != nil || s.Apply(&b) != nil || a.Seed == b.Seed || a.Seed > 1<<32 {
		t.Errorf("seeds %d and %d", a.Seed, b.Seed)
	}
}
