package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/userrule"
)

// DefaultStores are the stores that are blamed where nobody asks for others.
func DefaultStores() []string { return []string{"char"} }

// Options say how units are analysed. The zero value is right for most builds.
type Options struct {
	Stores    []string      // which stores to blame; none: DefaultStores
	Accessors []string      // names that alias-loop-condition-name looks for; none: the usual ones
	Remarks   bool          // also the compiler's missed optimisations
	Rules     []Rule        // of the user
	Workers   int           // analyser processes at a time; 0: one per core
	Timeout   time.Duration // for one unit; 0: five minutes
	NoCache   bool          // neither read nor write cached answers
	NoPatches bool          // do not compile patches: findings speak of what an edit may give
	Session   *Session      // what stays between analyses; nil for nothing
	Whole     bool          // a Session is not to answer by what it found before
	// Progress is called as units are done; nil for nobody who looks.
	Progress func(Progress)
}

// Progress is how far an analysis is.
type Progress struct {
	Done, Of int
	File     string // the unit that was done last, "" at the begin
	What     string // there are Of of: "units", "patches"
}

// Rule is a source rule of the user.
type Rule = userrule.Rule

// LoadRules reads the source rules in directories, none where they have none.
func LoadRules(dirs []string) ([]Rule, error) { return userrule.Load(dirs) }

// CheckRules runs the fixtures of source rules.
func CheckRules(ctx context.Context, rules []Rule) error {
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	return userrule.Check(ctx, binary, rules)
}

// StoppedError says how far an analysis came that was interrupted. Answers are
// cached as they come, so that the next run goes on from there.
type StoppedError struct{ Done, Of int }

func (e *StoppedError) Error() string {
	return fmt.Sprintf("stopped after %d of %d units; what was answered is cached", e.Done, e.Of)
}

// Unwrap says why: the caller's context was cancelled.
func (e *StoppedError) Unwrap() error { return context.Canceled }

// Analyser is the analyser's program.
func Analyser() (string, error) { return analyzer.Find() }

// request is what the analyser is asked of every unit.
func (o Options) request() (analyzer.Options, error) {
	binary, err := analyzer.Find()
	if err != nil {
		return analyzer.Options{}, err
	}
	stores := o.Stores
	if len(stores) == 0 {
		stores = DefaultStores()
	}
	const usual = 5 * time.Minute
	r := analyzer.Options{
		Binary: binary, Workers: o.Workers, Timeout: cmp.Or(o.Timeout, usual), Predicates: stores, Blame: true, Remarks: o.Remarks,
		AST: analyzer.ASTRequest{
			Layers: []string{analyzer.LayerAST, analyzer.LayerIR}, Accessors: o.Accessors, UserRules: userrule.ForAnalyzer(o.Rules),
		},
	}
	if o.Session != nil {
		r.Resident, r.Whole = o.Session.resident, o.Whole
	}
	r.Cache, err = o.Cache()
	return r, err
}

// Cache is where answers are kept, nil for nowhere.
func (o Options) Cache() (*analyzer.Cache, error) {
	var kept *analyzer.Cache
	binary, err := analyzer.Find()
	if err == nil && !o.NoCache {
		if o.Session != nil {
			return o.Session.open(binary)
		}
		kept, err = analyzer.OpenCache("", binary)
	}
	return kept, err
}

// ask has all units analysed. The outcomes come in the order of the units, so that
// a second run says the same.
func (o Options) ask(ctx context.Context, units []compdb.Unit, r analyzer.Options) ([]analyzer.Outcome, error) {
	order := map[string]int{}
	for i, u := range units {
		order[unitKey(u)] = i
	}
	o.report(Progress{Of: len(units), What: "units"})
	var outcomes []analyzer.Outcome
	err := analyzer.Run(ctx, units, r, func(out analyzer.Outcome) {
		outcomes = append(outcomes, out)
		o.report(Progress{Done: len(outcomes), Of: len(units), File: shortFile(out.Unit.File), What: "units"})
	})
	slices.SortStableFunc(outcomes, func(a, b analyzer.Outcome) int {
		return cmp.Compare(order[unitKey(a.Unit)], order[unitKey(b.Unit)])
	})
	if errors.Is(err, context.Canceled) {
		err = &StoppedError{Done: len(outcomes), Of: len(units)}
	}
	return outcomes, err
}

func (o Options) report(p Progress) {
	if o.Progress != nil && p.Of > 0 {
		o.Progress(p)
	}
}

func unansweredIn(outcomes []analyzer.Outcome) int {
	n := 0
	for _, o := range outcomes {
		if o.Err != nil || len(o.Reply.Errors) > 0 {
			n++
		}
	}
	return n
}

// unanswered says what the reader should know of the units that have no answer:
// units that lack the same thing are one note.
func unanswered(outcomes []analyzer.Outcome) []string {
	var texts []string
	files := map[string][]string{}
	add := func(o analyzer.Outcome, text string) {
		if _, known := files[text]; !known {
			texts = append(texts, text)
		}
		files[text] = append(files[text], o.Unit.File)
	}
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			add(o, o.Err.Error())
		case len(o.Reply.Errors) > 0:
			add(o, "does not compile: "+withoutPlace(o.Reply.Errors[0]))
		}
	}
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		if of := files[text]; len(of) > 1 {
			out = append(out, fmt.Sprintf("%d units, %s and others: %s", len(of), shortFile(of[0]), text))
		} else if strings.HasPrefix(text, "does not") {
			out = append(out, shortFile(of[0])+" "+text)
		} else {
			out = append(out, shortFile(of[0])+": "+text)
		}
	}
	return out
}

// withoutPlace cuts "file:line:column: " off a diagnostic, so that the same
// complaint of many units is one.
func withoutPlace(diagnostic string) string {
	for _, kind := range []string{": fatal error: ", ": error: "} {
		if _, text, ok := strings.Cut(diagnostic, kind); ok {
			return text
		}
	}
	return diagnostic
}
