package watch

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/server/deployment"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store/batch"
)

// world is a project, a clock, and the rules.
type world struct {
	t       *testing.T
	project *project.Project
	watcher *Watcher
	now     time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Open: servertest.Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = projects.Close() })
	w := &world{t: t, now: time.Now().Truncate(time.Minute)}
	var done func()
	if w.project, done, err = projects.Get(t.Context(), "default", false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	rules, err := explain.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	w.watcher = New(Options{Over: time.Hour, Rules: rules, Now: func() time.Time { return w.now }})
	return w
}

// php has a service spend a share of its time in serialize, three minutes ago.
func (w *world) php(service string, serialize, other int) {
	w.t.Helper()
	text := "php;main_[php8.2];execute_ex_[php8.2];php_var_serialize_[php8.2] " + itoa(serialize) + "\n" +
		"php;main_[php8.2];execute_ex_[php8.2] " + itoa(other) + "\n"
	_, err := push.Append(w.t.Context(), w.project.Store, strings.NewReader(text), push.Profile{
		Labels: batch.Labels{Service: service}, Period: time.Millisecond, Start: w.now.Add(-3 * time.Minute),
	}, 1<<20, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.project.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) look() []Record {
	w.t.Helper()
	if err := w.watcher.Look(w.t.Context(), w.project); err != nil {
		w.t.Fatal(err)
	}
	return w.findings(false)
}

func (w *world) findings(all bool) []Record {
	w.t.Helper()
	out, err := Findings(w.project, "", all)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestAFindingHasAHistory(t *testing.T) {
	w := newWorld(t)
	w.php("shop", 3000, 7000)
	found := w.look()
	if len(found) != 1 || found[0].Service != "shop" || found[0].Finding.Rule != "php-serialize" || !found[0].Active {
		t.Fatalf("%+v", found)
	}
	first := found[0]
	point := first.History[0]
	// 3 s of CPU, of 10, in the one minute that there are samples of.
	if point.Share < 0.29 || point.Share > 0.31 || point.Error <= 0 || point.Cores < 2.9/60 || point.Cores > 3.1/60 {
		t.Errorf("%+v", point)
	}
	// Nothing of a file: the trial is of a command that the reader knows.
	id := first.Finding.ID
	if want := "whyhot try --to URL --finding " + id + " "; !strings.HasPrefix(first.Finding.Next.String(), want) || !strings.HasSuffix(first.Finding.Next.String(), " -- <your command>") {
		t.Errorf("next: %s", first.Finding.Next)
	}
	if want := "whyhot explain --from URL --service shop --finding " + id; len(first.Finding.See) != 1 || first.Finding.See[0].String() != want {
		t.Errorf("see: %q", first.Finding.See)
	}
	// Half an hour later it costs more.
	w.now = w.now.Add(30 * time.Minute)
	w.php("shop", 9000, 1000)
	w.php("other", 0, 5000)
	found = w.look()
	if len(found) != 1 || !found[0].First.Equal(first.First) || !found[0].Last.Equal(w.now) || len(found[0].History) != 2 || found[0].History[1].Share < 0.55 {
		t.Fatalf("%+v", found)
	}
	// Two hours later it is gone, and so it stays, for who asks for all.
	w.now = w.now.Add(2 * time.Hour)
	w.php("shop", 0, 5000)
	if found = w.look(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	all := w.findings(true)
	if len(all) != 1 || all[0].Active || len(all[0].History) != 3 || all[0].History[2].Share != 0 || all[0].Last.Equal(w.now) {
		t.Errorf("%+v", all)
	}
	runs, err := Runs(w.project, "shop")
	if err != nil || len(runs) != 1 || runs[0].Samples != 5000 || runs[0].Failed || runs[0].Looked == "" {
		t.Errorf("%+v, %v", runs, err)
	}
}

// version has a version of a service spend some of its time in hash, for a while before now.
func (w *world) version(name string, ago time.Duration, hash int) {
	w.t.Helper()
	text := "main;hash " + itoa(hash) + "\nmain;parse " + itoa(5000) + "\n"
	_, err := push.Append(w.t.Context(), w.project.Store, strings.NewReader(text), push.Profile{
		Labels: batch.Labels{Service: "shop", Version: name}, Period: time.Millisecond, Start: w.now.Add(-ago),
	}, 1<<20, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.project.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// A version that takes more than the one before it is a finding until the next one comes.
func TestASlowerVersionIsAFinding(t *testing.T) {
	w := newWorld(t)
	w.version("1.4", 5*time.Hour, 1000)
	w.version("1.5", 3*time.Minute, 3000)
	found := w.look()
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	f, point := &found[0].Finding, found[0].History[0]
	if f.Rule != deployment.Rule || f.Minor == "" || f.Place.Function != "hash" || !strings.HasPrefix(f.Next.String(), "whyhot diff --from URL --service shop ") {
		t.Errorf("%+v", f)
	}
	// From a sixth to three eighths.
	if point.Share < 0.18 || point.Share > 0.24 || point.Error <= 0 || point.Cores <= 0 {
		t.Errorf("%+v", point)
	}
	w.now = w.now.Add(2 * time.Hour)
	w.version("1.6", 3*time.Minute, 3000)
	if found = w.look(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if all := w.findings(true); len(all) != 1 || all[0].Active {
		t.Errorf("%+v", all)
	}
}

// A trial of another build is one on the server, too.
func TestCommandsOfAServersFinding(t *testing.T) {
	for next, want := range map[string]string{
		"whyhot try --profile FILE --rules own --finding a-1 --preload x -- app": "whyhot try --to URL --finding a-1 --preload x -- app",
		"whyhot try build --profile FILE --finding a-1 --build make -- app":      "whyhot try build --to URL --finding a-1 --build make -- app",
		"whyhot loops FILE": "whyhot explain --from URL --service shop --finding a-1",
	} {
		f := finding.Finding{ID: "a-1"}
		if err := f.Next.UnmarshalText([]byte(next)); err != nil {
			t.Fatal(err)
		}
		if here(&f, "shop"); f.Next.String() != want {
			t.Errorf("%s: %s", next, f.Next)
		}
	}
}

func trialOf(id, of string, verdict finding.Verdict, at time.Time) Trial {
	return Trial{ID: id, Finding: of, Time: at, Trials: []finding.Trial{{Variant: "v", Command: []string{"c"}, Runs: 9, Verdict: verdict}}}
}

func TestATrialMovesAFinding(t *testing.T) {
	w := newWorld(t)
	w.php("shop", 3000, 7000)
	w.php("blog", 3000, 7000)
	id := w.look()[0].Finding.ID
	for _, c := range []struct {
		trial Trial
		want  finding.Certainty
	}{
		{trialOf("1", "another", finding.Faster, w.now), finding.Suspected},
		{trialOf("2", id, finding.Faster, w.now), finding.Proved},
		{trialOf("3", id, finding.Same, w.now.Add(time.Minute)), finding.Refuted},
		{trialOf("3", id, finding.Faster, w.now.Add(time.Minute)), finding.Proved}, // sent again: it replaces
	} {
		if err := AddTrial(t.Context(), w.project, c.trial); err != nil {
			t.Fatal(err)
		}
		for _, r := range w.findings(false) {
			if r.Finding.Certainty != c.want {
				t.Errorf("after trial %s the finding of %s is %s", c.trial.ID, r.Service, r.Finding.Certainty)
			}
		}
	}
	// The next look does not forget it.
	for _, r := range w.look() {
		if r.Finding.Certainty != finding.Proved || len(r.Finding.Trials) != 2 {
			t.Errorf("%+v", r.Finding)
		}
	}
	if list, err := Trials(w.project, id); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var r Record
	begin := time.Now()
	const n = 5000
	for i := range n {
		r.add(Point{Time: begin.Add(time.Duration(i) * time.Minute)})
		if len(r.History) > maxHistory {
			t.Fatalf("%d points", len(r.History))
		}
	}
	if !r.History[0].Time.Equal(begin) || len(r.History) < maxHistory/2 {
		t.Errorf("%d points from %s", len(r.History), r.History[0].Time)
	}
	for i := 1; i < len(r.History); i++ {
		if !r.History[i-1].Time.Before(r.History[i].Time) {
			t.Fatal("out of order")
		}
	}
	// The newest are all there.
	if last := r.History[len(r.History)-100]; !last.Time.Equal(begin.Add((n - 100) * time.Minute)) {
		t.Errorf("%s", last.Time)
	}
}

// It looks at the start, and again and again, until its context ends.
func TestRun(t *testing.T) {
	w := newWorld(t)
	w.php("shop", 3000, 7000)
	projects, err := project.Open(t.Context(), filepath.Join(t.TempDir(), "x"), project.Options{Open: servertest.Open})
	if err != nil {
		t.Fatal(err)
	}
	defer projects.Close()
	p, done, err := projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	w.project = p
	w.php("shop", 3000, 7000)
	w.watcher.o.Every = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.watcher.Run(ctx, projects) }()
	for len(w.findings(true)) == 0 || len(w.findings(true)[0].History) < 2 {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	<-ended
}

// A service that sends nothing any more has no active findings, found or sent, and says
// since when; what it had is active again when it is back.
func TestASilentService(t *testing.T) {
	w := newWorld(t)
	w.php("shop", 3000, 7000)
	w.look()
	report := &finding.Report{Findings: []finding.Finding{{ID: "loop-1", Rule: "hoist", Title: "t", Certainty: finding.Confirmed}}}
	if err := Take(t.Context(), w.project, "shop", report, w.now.Add(-10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	elsewhere := &finding.Report{Findings: []finding.Finding{{ID: "loop-2", Rule: "hoist", Title: "t", Certainty: finding.Confirmed}}}
	if err := Take(t.Context(), w.project, "never sent", elsewhere, w.now.Add(-10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	last := w.now.Add(-3 * time.Minute)
	if found := w.look(); len(found) != 3 {
		t.Fatalf("%+v", found)
	}
	for range 2 { // once, not at each look
		w.now = w.now.Add(2 * time.Hour)
		if found := w.look(); len(found) != 1 || found[0].Service != "never sent" {
			t.Fatalf("of a service that is silent: %+v", found)
		}
	}
	for _, r := range w.findings(true) {
		if r.Service != "shop" {
			continue
		}
		if since := r.SilentSince; since.Before(last.Add(-time.Minute)) || since.After(last.Add(2*time.Minute)) || r.History[len(r.History)-1].Share != 0 {
			t.Errorf("%s is silent since %s, the last profile is of %s: %+v", r.Finding.ID, since, last, r.History)
		}
		if !r.Sent && len(r.History) != 3 {
			t.Errorf("%d points", len(r.History))
		}
	}
	runs, err := Runs(w.project, "shop")
	if err != nil || len(runs) != 1 || runs[0].SilentSince.IsZero() {
		t.Errorf("%+v, %v", runs, err)
	}
	w.php("shop", 3000, 7000)
	found := w.look()
	if len(found) != 3 {
		t.Fatalf("of a service that is back: %+v", found)
	}
	for _, r := range found {
		if !r.SilentSince.IsZero() {
			t.Errorf("%s is still silent since %s", r.Finding.ID, r.SilentSince)
		}
	}
}

// Of more services than a look is about each has its turn, and the largest every time.
// A service with too few samples for any finding is not analysed, and counted; one that had a
// finding is looked at once more, and its finding ends.
func TestServicesWithFewSamples(t *testing.T) {
	w := newWorld(t)
	w.php("shop", 3000, 7000)
	w.php("as", 0, rule.LeastSamples-1)
	w.php("ld", 1, rule.LeastSamples-1)
	services := func() string {
		t.Helper()
		runs, err := Runs(w.project, "")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range runs {
			names = append(names, r.Service)
		}
		look, err := LastLook(w.project)
		if err != nil || !look.Time.Equal(w.now) {
			t.Errorf("%+v %v", look, err)
		}
		return strings.Join(names, " ") + ", left out " + itoa(look.Few)
	}
	if found := w.look(); len(found) != 1 || services() != "ld shop, left out 1" {
		t.Errorf("%s, %d findings", services(), len(found))
	}
	w.now = w.now.Add(2 * time.Hour)
	w.php("shop", 2, 2)
	w.php("as", 0, 5000)
	if found := w.look(); len(found) != 0 || services() != "as ld shop, left out 0" {
		t.Errorf("%s, %d findings", services(), len(found))
	}
	if found := w.look(); len(found) != 0 || services() != "as ld, left out 1" {
		t.Errorf("%s, %d findings", services(), len(found))
	}
}

func TestServicesTakeTurns(t *testing.T) {
	w := newWorld(t)
	w.watcher.o.Services = 2
	for i, service := range []string{"large", "a", "b", "c"} {
		w.php(service, 100, 9000-i*1000)
	}
	for range 3 {
		w.now = w.now.Add(time.Minute)
		w.look()
		runs, err := Runs(w.project, "large")
		if err != nil || len(runs) != 1 || !runs[0].Time.Equal(w.now.UTC()) {
			t.Errorf("the largest at %s: %+v, %v", w.now, runs, err)
		}
	}
	if runs, err := Runs(w.project, ""); err != nil || len(runs) != 4 {
		t.Errorf("after three looks: %+v, %v", runs, err)
	}
	for _, run := range w.findings(true) {
		if !run.SilentSince.IsZero() {
			t.Errorf("%s is not silent: it was not its turn", run.Service)
		}
	}
}

// A project that was closed is opened once more when all that it had is out of the
// time that is looked at, and then left alone.
func TestAClosedProject(t *testing.T) {
	opened := 0
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Idle: time.Millisecond, Open: func(ctx context.Context, dir, debugDir string) (project.Store, error) {
		opened++
		return servertest.Open(ctx, dir, debugDir)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer projects.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var tending sync.WaitGroup
	tending.Go(func() { projects.Tend(ctx) })
	defer tending.Wait()
	defer cancel()
	w := New(Options{Over: time.Hour})
	var before looked
	look := func() {
		for p, done := projects.IfOpen("default"); p != nil; p, done = projects.IfOpen("default") {
			done()
			time.Sleep(time.Millisecond)
		}
		if before, err = w.lookAt(t.Context(), projects, "default", before); err != nil {
			t.Fatal(err)
		}
	}
	look()
	if opened != 2 || !before.nothing {
		t.Fatalf("opened %d times; %+v", opened, before)
	}
	look() // nothing came
	before.nothing = false
	look() // something had come, half an hour ago
	if opened != 2 {
		t.Errorf("opened %d times", opened)
	}
	before.at = before.at.Add(-time.Hour)
	look()
	if opened != 3 {
		t.Errorf("opened %d times", opened)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
