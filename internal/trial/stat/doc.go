// Package stat turns run times into a ratio with an interval and the interval
// into a verdict.
//
// It owns the exact test of a trial with the estimate and interval that go with it,
// the rule that says when a trial may stop, the bootstrap by which suites sum up, and
// the test for drift. It takes plain
// numbers, one per round, and gives plain numbers. It knows nothing of
// processes, clocks or variants; of this module it imports internal/finding alone,
// for the words of a verdict.
//
// Why these methods: docs/decisions/0265-trials-that-end.md, and
// docs/decisions/0040-trial-statistics.md for the mean of a suite.
package stat
