package variant

// Layout is one of several ways to place the same program in memory: relinked in
// another order, padded or aligned otherwise. Runs of an arm draw among its
// layouts, so that what one of them gains by accident is not taken for the
// variant's doing.
type Layout struct {
	Name    string
	Dir     string   // where the command runs, "" for where the arm's runs
	Env     []string // K=V, on top of the arm's
	Command []string // in place of the arm's, nil to keep it
}
