package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// Request is a check of a change.
type Request struct {
	Directory string // in the repository, where the commands run
	Base      string // the revision that the change is compared with
	Head      string // the changed revision, "" for the working tree
	Exact     bool   // compare with Base itself and not with where the change left it

	Command []string    // to measure, nil for none
	Suite   *suite.File // several of them, nil for none
	Stdin   string      // file given to Command
	Build   string      // for the shell, "" where nothing is built
	Test    string      // for the shell; it fails where the changed program is wrong
	Share   []string    // files and directories of the working tree that git does not have and both sides get
	Work    string      // directory for the builds, "" for the system's temporary one
	Env     []string    // of builds, tests and runs

	Limit         float64 // a share: 0.02 is 2% more
	Budget        time.Duration
	Metric        trial.Metric
	Seed          uint64
	IgnoreFailure bool
	OneAtATime    bool // the sides run one after the other, not in turns of a slice of time
	Always        bool // run programs that are identical, too

	Profile *profile.Profile // of production, nil for none
	Service string           // whose profile that is, in words
	// BuildDir has the compile_commands.json, from Directory; "" for none.
	BuildDir string
	Rules    explain.Rules
	Source   source.Options
	NoWhy    bool // do not record why it is slower

	Proof  *Proof   // a verified statement, nil for none
	Repeat []string // the command line that makes the check again
}

// Listener is told how far a check is. Calls come from one goroutine.
type Listener interface {
	Step(text string)
	Measuring(p trial.Progress)
}

type silence struct{}

func (silence) Step(string)              {}
func (silence) Measuring(trial.Progress) {}

// mostLimit is a limit above which nobody needs a trial.
const mostLimit = 10

func (r *Request) check() error {
	switch {
	case r.Base == "":
		return errors.New("no revision to compare with: name it with --base, for example --base origin/main")
	case r.Limit < 0 || r.Limit > mostLimit:
		return errors.New("invalid --limit: a share of 0% or more, such as 2%")
	case r.Budget <= 0:
		return errors.New("invalid --budget: a time above 0, such as 5m")
	case len(r.Command) > 0 && r.Suite != nil:
		return errors.New("the commands to measure are given twice: after -- and with --suite")
	case r.static() && r.BuildDir == "":
		return errors.New("nothing to measure: give the command after --, or the build directory with -p and a profile with --profile to check the source alone")
	case r.static() && r.Profile == nil:
		return errors.New("without a command, a profile has to say what is hot: name one with --profile")
	case r.static() && (r.Build != "" || r.Test != ""):
		return errors.New("--build and --test are for a command that is measured: give it after --")
	}
	for _, p := range r.Share {
		if !filepath.IsLocal(p) {
			return fmt.Errorf("invalid --share %s: a path in the repository, from the current directory", p)
		}
	}
	return nil
}

// static says that nothing is run.
func (r *Request) static() bool { return len(r.Command) == 0 && r.Suite == nil }
