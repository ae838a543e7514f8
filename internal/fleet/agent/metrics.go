package agent

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"whyhot/internal/host/metrics"
)

// Metrics serves the agent's numbers, and those of its process, in Prometheus's text
// format.
func (a *Agent) Metrics() (http.Handler, error) {
	return metrics.Handler(a)
}

var _ prometheus.Collector = (*Agent)(nil)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("whyhot_agent_"+name, help, labels, nil)
}

var (
	batchesDesc   = describe("batches_total", "Batches recorded.")
	samplesDesc   = describe("samples_total", "Samples recorded.")
	lostDesc      = describe("samples_lost_total", "Samples that the kernel had no room for.")
	deliveredDesc = describe("samples_delivered_total", "Samples that the server accepted.")
	droppedDesc   = describe("samples_dropped_total", "Recorded samples that will not arrive, by reason.", "reason")
	sendsDesc     = describe("sends_total", "Requests sent, by outcome.", "result")
	bytesDesc     = describe("sent_bytes_total", "Bytes of the requests that the server accepted, before compression.")
	rejectedDesc  = describe("rejected_profiles_total", "Profiles that the server rejected from requests that it accepted.")
	spoolDesc     = describe("spool_bytes", "Size of the spool.")
	waitingDesc   = describe("spool_batches", "Batches in the spool.")
	spooledDesc   = describe("spool_samples", "Samples in the spool.")

	debugUploadedDesc = describe("debuginfo_uploaded_total", "Files of debug information that the server accepted.")
	debugBytesDesc    = describe("debuginfo_uploaded_bytes_total", "Bytes of the files of debug information that the server accepted.")
	debugKnownDesc    = describe("debuginfo_known_total", "Build IDs whose debug information the server has or does not want.")
	debugFailedDesc   = describe("debuginfo_failed_total", "Attempts to upload debug information that failed.")
	debugDroppedDesc  = describe("debuginfo_dropped_total", "Binaries skipped because the upload queue was full; their next samples queue them again.")
)

// debugDescs are there where debug information is uploaded.
func debugDescs() []*prometheus.Desc {
	return []*prometheus.Desc{debugUploadedDesc, debugBytesDesc, debugKnownDesc, debugFailedDesc, debugDroppedDesc}
}

// Describe implements prometheus.Collector.
func (a *Agent) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		batchesDesc, samplesDesc, lostDesc, deliveredDesc, droppedDesc, sendsDesc, bytesDesc, rejectedDesc, spoolDesc, waitingDesc, spooledDesc,
	} {
		to <- d
	}
	if a.opts.DebugInfo != nil {
		for _, d := range debugDescs() {
			to <- d
		}
	}
}

// Collect implements prometheus.Collector.
func (a *Agent) Collect(to chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n))
	}
	c, s := &a.counts, a.opts.Spool.Stats()
	count(batchesDesc, c.batches.Load())
	count(samplesDesc, c.samples.Load())
	count(lostDesc, c.lost.Load())
	count(deliveredDesc, c.delivered.Load())
	count(droppedDesc, s.Dropped.Samples, "spool_full")
	count(droppedDesc, s.Damaged.Samples, "spool_damaged")
	count(droppedDesc, c.notKept.Load(), "spool_error")
	count(droppedDesc, c.refused.Load(), "refused")
	count(sendsDesc, c.deliveredBatches.Load(), "delivered")
	count(sendsDesc, c.refusedBatches.Load(), "refused")
	count(sendsDesc, c.failedSends.Load(), "failed")
	count(sendsDesc, c.rejectedTokens.Load(), "unauthorized")
	count(bytesDesc, c.sentBytes.Load())
	count(rejectedDesc, c.rejectedProfiles.Load())
	gauge(spoolDesc, s.Bytes)
	gauge(waitingDesc, int64(s.Batches))
	gauge(spooledDesc, s.Samples)
	if a.opts.DebugInfo == nil {
		return
	}
	d := a.opts.DebugInfo.Stats()
	for i, n := range []int64{d.Uploaded, d.Bytes, d.Known, d.Failed, d.Dropped} {
		count(debugDescs()[i], n)
	}
}
