package message

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// counts are what became of the messages of a receiver.
type counts struct {
	sent, failed, dropped atomic.Int64
	last                  atomic.Int64 // Unix time of the last that was taken

	mu      sync.Mutex
	waiting map[string]int // by project
}

func (c *counts) succeeded(at time.Time) {
	c.sent.Add(1)
	c.last.Store(at.Unix())
}

func (c *counts) wait(project string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[string]int{}
	}
	c.waiting[project] = n
}

func (c *counts) all() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.waiting {
		n += one
	}
	return n
}

func (m *Messenger) count(receiver string) *counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.counts[receiver]
	if c == nil {
		c = &counts{}
		m.counts[receiver] = c
	}
	return c
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("whyhot_server_messages_"+name, help, labels, nil)
}

var (
	attemptsDesc = describe("attempts_total", "Attempts to deliver a message, by what became of them.", "receiver", "result")
	droppedDesc  = describe("dropped_total", "Messages that were dropped after days of attempts.", "receiver")
	waitingDesc  = describe("waiting", "Messages that wait for their receiver, or for the time of its digest.", "receiver")
	lastDesc     = describe("last_success_timestamp_seconds", "When a receiver took a message last.", "receiver")
	invalidDesc  = describe("file_invalid", "1 while the changed configuration is wrong and the one before holds.")
)

// Describe implements prometheus.Collector.
func (m *Messenger) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{attemptsDesc, droppedDesc, waitingDesc, lastDesc, invalidDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *Messenger) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	all, invalid := maps.Clone(m.counts), m.invalid
	m.mu.Unlock()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, float64(v), labels...)
	}
	wrong := int64(0)
	if invalid {
		wrong = 1
	}
	send(invalidDesc, prometheus.GaugeValue, wrong)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		send(attemptsDesc, prometheus.CounterValue, c.sent.Load(), name, "sent")
		send(attemptsDesc, prometheus.CounterValue, c.failed.Load(), name, "failed")
		send(droppedDesc, prometheus.CounterValue, c.dropped.Load(), name)
		send(waitingDesc, prometheus.GaugeValue, int64(c.all()), name)
		if at := c.last.Load(); at != 0 {
			send(lastDesc, prometheus.GaugeValue, at, name)
		}
	}
}
