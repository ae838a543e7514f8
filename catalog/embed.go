// Package catalog holds the knowledge of whyhot as data: one YAML file per
// replacement or anti-pattern, tables of small ones, our own trials of them, the families that group symbols, the marks by which a
// language runtime is known, and how programs get memory and give it back.
//
// It owns the files and nothing else; internal/explain/catalog reads and checks them.
// The form of an entry is described in docs/guide/rules.md.
package catalog

import "embed"

// Files are the built-in entries.
//
//go:embed families.yaml runtimes.yaml memory.yaml trials.json replacements/*.yaml antipatterns/*.yaml tables/*.yaml
var Files embed.FS
