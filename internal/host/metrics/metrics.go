// Package metrics serves numbers in Prometheus's text format.
//
// It takes collectors and gives a handler for their numbers and those of this process. It
// imports nothing of ours.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves what is collected, and what is known of the process and of Go.
func Handler(list ...prometheus.Collector) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	list = append(list, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, each := range list {
		if err := registry.Register(each); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}
