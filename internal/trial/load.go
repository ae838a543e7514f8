package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/run"
)

// Served is the command that loads a server, as somebody asks for it.
type Served struct {
	Load  string // command line
	Ready string // address or URL, "" for that in Load
}

// rates are how programs that load servers print how much they got through.
var rates = map[string]struct{ pattern, unit string }{
	"wrk":               {`Requests/sec:\s+([0-9.]+)`, "requests/s"},
	"wrk2":              {`Requests/sec:\s+([0-9.]+)`, "requests/s"},
	"hey":               {`Requests/sec:\s+([0-9.]+)`, "requests/s"},
	"oha":               {`Requests/sec:\s+([0-9.]+)`, "requests/s"},
	"ab":                {`Requests per second:\s+([0-9.]+)`, "requests/s"},
	"h2load":            {`finished in .*, ([0-9.]+) req/s`, "requests/s"},
	"siege":             {`[Tt]ransaction[_ ]rate"?:\s+([0-9.]+)`, "transactions/s"},
	"pgbench":           {`tps = ([0-9.]+)`, "transactions/s"},
	"redis-benchmark":   {`([0-9.]+) requests per second`, "requests/s"},
	"memtier_benchmark": {`^Totals\s+([0-9.]+)`, "operations/s"},
	"sysbench":          {`transactions:.*\(([0-9.]+) per sec`, "transactions/s"},
}

// Apply puts the load into a plan. Where nobody says what decides, it is how much the
// load got through, where its program is known to say so.
func (s *Served) Apply(p *Plan, chosen bool) error {
	if s.Load == "" {
		if s.Ready != "" {
			return errors.New("--ready is for servers: name what loads it with --load")
		}
		return nil
	}
	words, err := run.Words(s.Load)
	if err == nil && len(words) == 0 {
		err = errors.New("not a command")
	}
	if err != nil {
		return fmt.Errorf("invalid --load %q: %w", s.Load, err)
	}
	at, err := run.Address(s.Ready, words)
	if err != nil {
		return err
	}
	p.Load = &run.Load{Args: words, Env: p.Env, Ready: at}
	if rate, ok := rates[filepath.Base(words[0])]; ok && p.Number == nil {
		if p.Number, err = metric.ParseNumber(rate.pattern, rate.unit, true); err != nil {
			return err
		}
		if !chosen {
			p.Metric = Number
		}
	}
	return nil
}

// perUnit says CPU time as that of one unit of what a server got through: where the
// load has a fixed time, a server that is faster does more in it.
type perUnit struct{ run.Runner }

// Run passes on.
func (r perUnit) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	res, err := r.Runner.Run(ctx, spec)
	if err != nil || res.Number <= 0 || res.Wall <= 0 {
		return res, err
	}
	units := res.Number * res.Wall.Seconds()
	res.User = time.Duration(float64(res.User) / units)
	res.System = time.Duration(float64(res.System) / units)
	return res, nil
}

func (p *Plan) perUnit() bool { return p.Load != nil && p.Number != nil && p.Number.HigherIsBetter }

// noteLoad says what the columns of a server mean.
func (t *trial) noteLoad() {
	switch {
	case t.plan.Load == nil:
	case t.plan.perUnit():
		t.notef("the CPU time is the server's for one unit of the load (%s over the time of the load); the time is the load's", t.plan.unit(Number))
	default:
		t.notef("the CPU time is the server's during the load, the time is the load's; where the load has a fixed time, name what it prints with --metric-regex and --higher-is-better")
	}
}
