package server

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// served counts what was answered, and how long that took.
type served struct {
	seconds   *prometheus.HistogramVec
	byProject *prometheus.CounterVec // nil where projects are not named
}

func newServed(projects bool) *served {
	s := &served{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "whyhot_server_request_duration_seconds", Help: "How long requests took, by operation and the first digit of their status.",
		Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
	}, []string{"operation", "status"})}
	if projects {
		s.byProject = prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "whyhot_server_project_requests_total", Help: "Requests about a project that were let in, by operation and the first digit of their status.",
		}, []string{"project", "operation", "status"})
	}
	return s
}

// request counts one over HTTP. Operations are those of the list of routes, and projects
// those that a token or an open listener let in: their number is bounded.
func (s *served) request(operation, project string, status int, took time.Duration) {
	s.count(operation, project, strconv.Itoa(status/100)+"xx", took)
}

// call counts one over gRPC.
func (s *served) call(method, project string, err error, took time.Duration) {
	class := "2xx"
	switch status.Code(err) { //nolint:exhaustive // the others are the client's
	case codes.OK:
	case codes.Internal, codes.Unknown, codes.Unavailable, codes.DataLoss, codes.DeadlineExceeded:
		class = "5xx"
	default:
		class = "4xx"
	}
	s.count(method, project, class, took)
}

func (s *served) count(operation, project, class string, took time.Duration) {
	s.seconds.WithLabelValues(operation, class).Observe(took.Seconds())
	if s.byProject != nil && project != "" {
		s.byProject.WithLabelValues(project, operation, class).Inc()
	}
}

var (
	projectBytesDesc = describe("project_bytes", "Bytes of a project: of its store on disk, of its journal, of its dictionary in memory, of its debug information.", "project", "what")
	projectRowsDesc  = describe("project_rows", "Rows of a project's store, by table.", "project", "table")
	projectBoundDesc = describe("project_bound_used_percent", "How much of a bound a project uses.", "project", "bound")
)

// ofProject shows the numbers of one project.
func ofProject(gauge func(d *prometheus.Desc, n int64, labels ...string), p *project.Project, st *store.Stats, debugInfo int64) {
	for what, n := range map[string]int64{"store": st.Bytes, "journal": st.Journal.Bytes, "dictionary": st.Memory, "debuginfo": debugInfo} {
		gauge(projectBytesDesc, n, p.Name, what)
	}
	for _, t := range st.Tables {
		gauge(projectRowsDesc, t.Rows, p.Name, t.Name)
	}
	for _, b := range append(st.Bounds, p.DebugInfoBound()) {
		if b.Limit > 0 {
			gauge(projectBoundDesc, 100*b.Used/b.Limit, p.Name, b.Name)
		}
	}
}
