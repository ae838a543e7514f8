package server

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"whyhot/internal/host/metrics"
)

// metrics serves the server's numbers, and those of its process, in Prometheus's text
// format. They are of all projects together, unless the server was told to name each:
// whoever may read them need not know which there are.
func (s *Server) metrics() (http.Handler, error) {
	list := []prometheus.Collector{s, s.served.seconds}
	if s.o.ProjectMetrics {
		list = append(list, s.served.byProject)
	}
	if s.messages != nil {
		list = append(list, s.messages)
	}
	return metrics.Handler(list...)
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("whyhot_server_"+name, help, labels, nil)
}

var (
	batchesDesc    = describe("batches_total", "Batches and profiles taken, by what became of them.", "result")
	samplesDesc    = describe("samples_total", "Samples taken.")
	answersDesc    = describe("answers_total", "Requests over HTTP that were answered.")
	refusedDesc    = describe("refused_total", "Requests refused for want of a valid token, or as another site's.")
	limitedDesc    = describe("limited_total", "Requests refused because a token asked too often.")
	failedDesc     = describe("failed_total", "Requests that failed for a reason on this side.")
	projectsDesc   = describe("projects_open", "Projects that are open.")
	bytesDesc      = describe("store_bytes", "Bytes of all stores on disk.")
	memoryDesc     = describe("dictionary_bytes", "Bytes of all dictionaries in memory, about.")
	rowsDesc       = describe("store_rows", "Rows of all stores, by table.", "table")
	journalDesc    = describe("journal_bytes", "Bytes taken that the engines do not have yet.")
	failingDesc    = describe("engines_failing", "Stores whose engine does not take what is in the journal.")
	unresolvedDesc = describe("unresolved_addresses", "Addresses without a name.")
	limitsDesc     = describe("store_limited_total", "Since the start: rows whose stack was cut or whose host and container were put together with others because the store has too many, and samples dropped for their time.", "what")
	debugDesc      = describe("debuginfo_bytes", "Bytes of debug information.")
	evictedDesc    = describe("debuginfo_removed_total", "Files of debug information removed since their project was opened: at the bound those not used for longest, and those of binaries of which nothing is kept.")
	bucketDesc     = describe("debuginfo_store_failed_total", "How often the object store for debug information could not be used since its project was opened.")
	writesDesc     = describe("cluster_writing_projects", "Projects to whose database this server writes, of those that servers share.")
	readsDesc      = describe("cluster_reading_projects", "Projects of which this server answers questions about samples while another server writes to their database.")
	waitingDesc    = describe("cluster_waiting_bytes", "Bytes taken that wait to be handed to the server that writes.")
	handedDesc     = describe("cluster_handed_bytes_total", "Bytes handed to the server that writes.")
	passedDesc     = describe("cluster_passed_total", "Questions passed on to the server that writes.")
	boundDesc      = describe("bound_used_ratio", "How much of a bound is in use, of the project that is nearest to it. At 1 what was not used for longest goes.", "bound")
)

// Describe implements prometheus.Collector.
func (s *Server) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		batchesDesc, samplesDesc, answersDesc, refusedDesc, limitedDesc, failedDesc, projectsDesc, bytesDesc, memoryDesc, rowsDesc,
		journalDesc, failingDesc, unresolvedDesc, limitsDesc, debugDesc, evictedDesc, bucketDesc, boundDesc,
		writesDesc, readsDesc, waitingDesc, handedDesc, passedDesc, projectBytesDesc, projectRowsDesc, projectBoundDesc,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (s *Server) Collect(to chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	c := s.api.Counts()
	count(batchesDesc, c.Batches.Load(), "taken")
	count(batchesDesc, c.Duplicates.Load(), "duplicate")
	count(batchesDesc, c.Rejected.Load(), "rejected")
	count(samplesDesc, c.Samples.Load())
	count(answersDesc, c.Queries.Load())
	count(refusedDesc, c.Refused.Load())
	count(limitedDesc, c.Limited.Load())
	count(failedDesc, c.Failed.Load())
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	open, done := s.projects.Opened()
	defer done()
	gauge(projectsDesc, int64(len(open)))
	var bytes, memory, journal, failing, unresolved, debug int64
	rows, limited, ratios := map[string]int64{}, map[string]int64{}, map[string]float64{}
	var evicted, unshared, writes, reads, waiting int64
	for _, p := range open {
		_, size := p.DebugInfo.Stats()
		debug += size
		_, gone := p.DebugInfo.Bound()
		evicted += gone
		_, failed := p.DebugInfo.Shared()
		unshared += failed
		if shared, here := p.Shared(); here {
			writes++
		} else if shared {
			waiting += p.Waiting()
			if p.Readable() == nil {
				reads++
			}
			continue // the rest is the other server's
		}
		st, err := p.Stats(ctx)
		if err != nil {
			failing++
			continue
		}
		if s.o.ProjectMetrics {
			ofProject(gauge, p, &st, size)
		}
		bytes += st.Bytes
		memory += st.Memory
		journal += st.Journal.Bytes
		unresolved += int64(st.Unresolved)
		limited["stacks"] += st.CutStacks
		limited["series"] += st.MergedSeries
		limited["samples"] += st.DroppedSamples
		if st.Journal.Failing != "" {
			failing++
		}
		for _, b := range append(st.Bounds, p.DebugInfoBound()) {
			ratios[b.Name] = max(ratios[b.Name], float64(b.Used)/float64(b.Limit))
		}
		for _, t := range st.Tables {
			rows[t.Name] += t.Rows
		}
	}
	if s.o.Cluster != nil {
		gauge(writesDesc, writes)
		gauge(readsDesc, reads)
		gauge(waitingDesc, waiting)
		handed, passed := s.o.Cluster.Counts()
		count(handedDesc, handed)
		count(passedDesc, passed)
	}
	gauge(bytesDesc, bytes)
	gauge(memoryDesc, memory)
	gauge(journalDesc, journal)
	gauge(failingDesc, failing)
	gauge(unresolvedDesc, unresolved)
	gauge(debugDesc, debug)
	count(evictedDesc, evicted)
	if s.o.DebugInfo.Bucket != nil {
		count(bucketDesc, unshared)
	}
	for bound, ratio := range ratios {
		to <- prometheus.MustNewConstMetric(boundDesc, prometheus.GaugeValue, ratio, bound)
	}
	for table, n := range rows {
		gauge(rowsDesc, n, table)
	}
	for what, n := range limited {
		count(limitsDesc, n, what)
	}
}
