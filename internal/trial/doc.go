// Package trial runs an experiment: a command as it is against variants of it,
// in turn, and says whether a variant pays.
//
// It owns the schedule (warm-up, rounds in random order, when to stop), the
// comparison of what the runs wrote, the verdict and the JSON form of the
// outcome (docs/trial.schema.json). It takes a Plan and a Runner and gives an
// Outcome. Its rooms: experiment (the door: from what somebody asks to a final
// outcome), stat (numbers → verdict), run (one execution), metric (numbers that a
// run does not give by itself), variant (what differs), rebuild and whatif
// (variants that are built), noise (what disturbs), suite (many benchmarks),
// foreign (results of other tools), archive (every trial with its inputs). It must
// never import ingest, symbol, view, rule or report.
//
// One round runs the baseline and every variant once, in an order drawn anew
// for each round, so that a slow spell of the machine meets them alike and none
// profits from its place in the row.
package trial
