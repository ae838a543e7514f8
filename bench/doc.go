// Package bench holds no code: its test makes RESULTS.md from results.yaml, and holds
// the figures that pages quote against it. The benchmarks are in the folders below.
package bench
