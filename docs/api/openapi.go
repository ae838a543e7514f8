// Package openapi holds the description of the server's HTTP API.
//
// It owns the file and nothing else; the server serves it, and tests of
// internal/server/api hold the two against each other.
package openapi

import _ "embed"

// Description is openapi.yaml.
//
//go:embed openapi.yaml
var Description []byte
