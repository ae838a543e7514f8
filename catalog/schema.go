package catalog

import _ "embed"

// Schema is the JSON schema of an entry, for editors. internal/explain/catalog makes it
// from the types that entries are read into.
//
//go:embed entry.schema.json
var Schema []byte
