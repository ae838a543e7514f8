// Package html writes the pages that people open in a browser: the interactive
// flame graph and the report of `whyhot explain --html`.
//
// It owns the template of the report, the wire form of a profile inside a page
// (payload.go) and the bundle of the page's script and style, which is built
// from web/ into dist/. It takes a call tree of package view and the findings
// and gives one HTML file that needs nothing else: no request leaves it, its
// content security policy forbids all but its own script and style, and what a
// profile calls its functions never becomes markup. It must never import
// ingest, symbol or a command.
//
// The findings are written here, not by the script: they can be read, printed
// and searched where scripts are blocked, as many artefact viewers do.
package html

//go:generate go run whyhot/web/build -page report -src ../../../web/src -out dist
