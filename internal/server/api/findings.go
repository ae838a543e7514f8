package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/finding"
	"whyhot/internal/server/watch"
	"whyhot/internal/trial"
)

type findingsForm struct {
	Findings []watch.Record `json:"findings"`
	Runs     []watch.Run    `json:"runs"`
	// Few is how many services have too few samples to be analysed.
	Few int `json:"few_samples,omitempty"`
}

// findings gives what the rules found, and when they looked.
func (s *Server) findings(_ context.Context, r *request) (any, error) {
	all, err := r.boolean("all")
	if err != nil {
		return nil, err
	}
	service := r.values.Get(paramService)
	records, err := watch.Findings(r.project, service, all)
	if err != nil {
		return nil, err
	}
	const last = 1
	for i := range records { // the whole history is that of one finding
		h := records[i].History
		records[i].History = list(h[max(0, len(h)-last):])
	}
	runs, err := watch.Runs(r.project, service)
	if err != nil {
		return nil, err
	}
	look, err := watch.LastLook(r.project)
	if err != nil {
		return nil, err
	}
	return findingsForm{list(records), list(runs), look.Few}, nil
}

// list is a list in JSON also where it is empty.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// finding gives one finding with its history, of every service that has it.
func (s *Server) finding(_ context.Context, r *request) (any, error) {
	records, err := watch.Findings(r.project, r.values.Get(paramService), true)
	if err != nil {
		return nil, err
	}
	out := findingsForm{Findings: []watch.Record{}, Runs: []watch.Run{}}
	for _, one := range records {
		if one.Finding.ID == r.PathValue("id") {
			one.History = list(one.History)
			out.Findings = append(out.Findings, one)
		}
	}
	if len(out.Findings) == 0 {
		return nil, notFound("there is no such finding")
	}
	return out, nil
}

type keptForm struct {
	Findings int `json:"findings"`
}

const maxReport = 16 << 20

// postFindings takes what `whyhot explain --json` and `whyhot scan --json` print.
func (s *Server) postFindings(ctx context.Context, r *request) (any, error) {
	service := r.values.Get(paramService)
	if service == "" || len(service) > maxServiceName || strings.ContainsFunc(service, unicode.IsControl) {
		return nil, invalid("service must be the name of the service that the findings are of")
	}
	var report finding.Report
	if _, err := r.printed("whyhot explain --json", maxReport, finding.SchemaVersion, &report, &report.Version); err != nil {
		return nil, err
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		known := slices.Contains([]finding.Certainty{finding.Suspected, finding.Confirmed, finding.Proved, finding.Refuted}, f.Certainty)
		if !findingID.MatchString(f.ID) || f.Rule == "" || f.Title == "" || !known {
			return nil, invalid("finding %d of the body has no proper id, rule, title and certainty", i+1)
		}
	}
	if err := watch.Take(ctx, r.project, service, &report, s.now()); errors.Is(err, watch.ErrManyFindings) {
		return nil, invalid("%v", err)
	} else if err != nil {
		return nil, err
	}
	return keptForm{len(report.Findings)}, nil
}

// printed reads a body of at most so many bytes into what a command prints as JSON, whose
// version is at version and has to be this program's. It also gives the bytes.
func (r *request) printed(command string, most int64, want int, into any, version *int) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, most))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, invalid("the body is not what `%s` prints: %v", command, err)
	}
	if *version != want {
		return nil, invalid("the body has version %d; `%s` of this version prints %d", *version, command, want)
	}
	return body, nil
}

const maxServiceName = 512

type trialsForm struct {
	Trials []watch.Trial `json:"trials"`
}

// trials lists the trials that were sent.
func (s *Server) trials(_ context.Context, r *request) (any, error) {
	all, err := watch.Trials(r.project, r.values.Get("finding"))
	if err != nil {
		return nil, err
	}
	return trialsForm{list(all)}, nil
}

// trialForm is the answer to a trial.
type trialForm struct {
	ID        string            `json:"id"`
	Finding   string            `json:"finding"`
	Certainty finding.Certainty `json:"certainty,omitempty"`
}

var findingID = regexp.MustCompile(`^[A-Za-z0-9_.:+-]{1,200}$`)

const maxTrial = 4 << 20

// postTrial takes what `whyhot try --json` prints.
func (s *Server) postTrial(ctx context.Context, r *request) (any, error) {
	of := r.values.Get("finding")
	if !findingID.MatchString(of) {
		return nil, invalid("finding must be the id of a finding")
	}
	var o trial.Outcome
	body, err := r.printed("whyhot try --json", maxTrial, trial.OutcomeVersion, &o, &o.Version)
	if err != nil {
		return nil, err
	}
	made := o.Trials()
	if len(made) == 0 {
		return nil, invalid("the trial says nothing of a finding: no variant was measured often enough")
	}
	sum := sha256.Sum256(append([]byte(of+"\n"), body...))
	t := watch.Trial{ID: hex.EncodeToString(sum[:8]), Finding: of, Time: s.now().UTC(), Who: r.grant.Who(), Trials: made}
	if err := watch.AddTrial(ctx, r.project, t); errors.Is(err, watch.ErrManyTrials) {
		return nil, &problem{status: http.StatusInsufficientStorage, kind: "full", detail: err.Error()}
	} else if err != nil {
		return nil, err
	}
	out := trialForm{ID: t.ID, Finding: of}
	records, err := watch.Findings(r.project, "", true)
	if err != nil {
		return nil, err
	}
	for _, one := range records {
		if one.Finding.ID == of {
			out.Certainty = one.Finding.Certainty
		}
	}
	return out, nil
}
