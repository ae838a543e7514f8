package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSortedForEachOneAdded(t *testing.T) {
	checkAll(t, map[string]written{
		"a queue in Go": {"/me/a.go", `
func (s *Scheduler) Submit(j Job) {
	s.pending = append(s.pending, j)
	sort.Slice(s.pending, func(a, b int) bool { return s.pending[a].Due > s.pending[b].Due })  @1
	show(j)  @3
}
`, "main.main main.(*Scheduler).Submit@1 sort.Slice", "main.(*Scheduler).Submit@3", profile.KindGo, RuleSorted, "@1 s.pending"},
		"in Python": {"/me/a.py", `
def submit(self, job):
    self.jobs.append(job)
    self.jobs.sort(key=by_due)  @1
    show(job)  @3
`, "main submit@1 list_sort", "submit@3", profile.KindPython, RuleSorted, "@1 self.jobs"},
		"once after a loop": {"/me/a.py", `
def load(lines):
    for line in lines:
        jobs.append(parsed(line))
    jobs.sort(key=by_due)  @1
    show(jobs)  @3
`, "main load@1 list_sort", "load@3", profile.KindPython, "", ""},
		"another list": {"/me/a.py", `
def submit(self, job):
    self.log.append(job)
    self.jobs.sort(key=by_due)  @1
    show(job)  @3
`, "main submit@1 list_sort", "submit@3", profile.KindPython, "", ""},
	})
}
