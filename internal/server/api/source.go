package api

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/finding"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/gap"
)

// profile gives a selection as one pprof file.
func (s *Server) profile(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	var more []store.Dimension
	for _, text := range r.values[paramBy] {
		by, err := dimension(r, paramBy, text)
		if err != nil {
			return nil, err
		}
		more = append(more, by)
	}
	const most = 8
	if len(more) > most {
		return nil, invalid("%s is there %d times; at most %d are taken", paramBy, len(more), most)
	}
	p, _, err := r.project.ProfileBy(ctx, sel, more)
	if err == nil && len(p.Samples()) == 0 {
		settle(ctx, r)
		p, _, err = r.project.ProfileBy(ctx, sel, more)
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if len(p.Samples()) == 0 {
		return nil, nothing(r, sel)
	}
	if err := pprof.Write(&out, p); err != nil {
		return nil, err
	}
	return file{kind: "application/vnd.google.protobuf+gzip", name: "profile.pb.gz", data: out.Bytes(), packed: true}, nil
}

// settleTime bounds the wait of settle: the engine may be behind.
const settleTime = 3 * time.Second

// settle waits until what was taken can be asked for. It is for who would be told that
// there is nothing, perhaps of a profile that was pushed a moment ago.
func settle(ctx context.Context, r *request) {
	if r.project.Behind().Why != "" { // it will not come in that time
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	_ = r.project.Flush(ctx) // what is not there then is not there
}

// recovered waits until what was in the journal when the server began, as after a crash, can be
// asked for, and notes that it is missing where that takes too long.
func recovered(ctx context.Context, p *project.Project) {
	within, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if p.Recovered(within) != nil && ctx.Err() == nil {
		gap.Note(ctx, []string{"what was in the journal when the server began"})
	}
}

func nothing(r *request, sel store.Selection) error {
	const minutes = "2006-01-02 15:04"
	p := &problem{
		status: http.StatusNotFound, kind: kindMissing,
		detail: fmt.Sprintf("there are no samples of it from %s to %s UTC", sel.From.UTC().Format(minutes), sel.To.UTC().Format(minutes)),
		help:   "/api/v1/services says what there is, and when it was last seen.",
	}
	if b := r.project.Behind(); b.Why != "" {
		const again = 10 // seconds: how often writing is tried
		p.status, p.kind, p.again = http.StatusServiceUnavailable, "behind", again
		p.detail += "; " + behind(r, b) + " and cannot be queried yet"
		p.help = "When the database takes writes again, they appear without being sent again."
	}
	return p
}

// behind says what waits in the journal, and why: in the words of the database to whoever
// administers the server, for they may name files of this machine.
func behind(r *request, b store.Behind) string {
	why := "the server's log says why"
	switch {
	case r.grant.Open() || slices.Contains(r.grant.Scopes, access.Administer):
		why = b.Why
	case fullDisk.MatchString(b.Why):
		why = "the server's disk is full"
	}
	return fmt.Sprintf("%d acknowledged batches with %d samples wait in the journal, because the database does not take them (%s),", b.Batches, b.Samples, why)
}

var fullDisk = regexp.MustCompile(`(?i)no space left|disk is full|disk full`)

// lines gives a function line by line.
func (s *Server) lines(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	id, err := functionID("function", r.values.Get("function"))
	if err != nil {
		return nil, err
	}
	l, err := r.project.Lines(ctx, sel, id)
	if err != nil {
		return nil, err
	}
	out := linesForm{Basis: formOf(l.Basis), Function: functionOf(l.Function), Self: l.Self, Total: l.Total, Lines: make([]sourceLine, 0, len(l.Rows))}
	for _, row := range l.Rows {
		out.Lines = append(out.Lines, sourceLine{row.File, row.Line, row.Binary, row.Offset, row.Self, row.Total, errorOf(l.Basis, row.Self)})
	}
	return out, nil
}

// diff compares two selections function by function.
func (s *Server) diff(ctx context.Context, r *request) (any, error) {
	sort, err := r.choice("sort", bySelf, byTotal)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", 100, 0, maxRows)
	if err != nil {
		return nil, err
	}
	var (
		halves [2]store.Selection
		sums   [2]*view.Sums
		bases  [2]store.Basis
	)
	for i, half := range []string{before, after} {
		if halves[i], err = s.selectionIn(r, half); err != nil {
			return nil, err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range halves {
		group.Go(func() (err error) {
			sums[i], bases[i], err = sumsOf(ctx, r, halves[i], sort)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	table := view.DiffSums(sums[0], sums[1], view.DiffOptions{Sort: view.Sort(sort)})
	rows := table.Rows
	if limit > 0 && limit < len(rows) {
		rows = rows[:limit]
	}
	out := diffForm{
		Before: formOf(bases[0]), After: formOf(bases[1]), Sort: sort, FalseDiscoveryRate: view.FalseDiscoveryRate,
		Functions: len(table.Rows), Rows: make([]diffRow, 0, len(rows)),
	}
	for _, row := range rows {
		form := diffRow{Name: row.Name, Binary: row.Binary, File: row.File, Delta: row.Delta, P: row.P, Significant: row.Significant}
		form.Before = sideOf(row.A, sort, table.TotalA, row.EventsA)
		form.After = sideOf(row.B, sort, table.TotalB, row.EventsB)
		form.Error = math.Hypot(errorOfSide(form.Before, row.EventsA), errorOfSide(form.After, row.EventsB))
		out.Rows = append(out.Rows, form)
	}
	return out, nil
}

// sumsOf adds up one half of a comparison.
func sumsOf(ctx context.Context, r *request, sel store.Selection, sort string) (*view.Sums, store.Basis, error) {
	var summer view.Summer
	number := func(f *store.Function) int {
		return summer.Number(asProfile(f), &profile.Mapping{Path: f.Binary, BuildID: f.BuildID})
	}
	g, err := r.project.Groups(ctx, sel, number)
	if err == nil && g.Basis.Count == 0 {
		settle(ctx, r)
		g, err = r.project.Groups(ctx, sel, number)
	}
	if err != nil {
		return nil, store.Basis{}, err
	}
	if g.Basis.Count == 0 {
		return nil, store.Basis{}, nothing(r, sel)
	}
	events := g.SelfEvents
	if sort == byTotal {
		events = g.TotalEvents
	}
	return summer.Sums(g.Basis.Value, g.Events, g.Self, g.Total, events), g.Basis, nil
}

// sideOf is one side of a comparison, nil where it has nothing of the function.
func sideOf(side view.Side, sort string, total, events int64) *sideForm {
	if side == (view.Side{}) || total <= 0 {
		return nil
	}
	weight := side.Self
	if sort == byTotal {
		weight = side.Total
	}
	share := float64(weight) / float64(total)
	return &sideForm{side.Self, side.Total, share, finding.ShareError(share, events)}
}

// errorOfSide is the error of a share, also of one that was not seen at all.
func errorOfSide(side *sideForm, events int64) float64 {
	if side == nil {
		return finding.ShareError(0, events)
	}
	return side.Error
}
