// Package metrics serves numbers in Prometheus's text format.
//
// It takes a collector and gives a handler for its numbers and those of this process. It
// imports nothing of ours.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves what c collects, and what is known of the process and of Go.
func Handler(c prometheus.Collector) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	for _, each := range []prometheus.Collector{
		c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(each); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}
