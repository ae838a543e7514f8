// Package schematest makes the JSON schema of a YAML file from the Go type that the
// file is read into, for editors, and holds the one on disk against it.
//
// It owns nothing that runs outside tests. Names come from the yaml tags, descriptions
// from the comments of the source; what the type does not say, such as which keys are
// required, the caller adds.
package schematest

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// Update says that the schemas on disk are to be written anew.
var Update = flag.Bool("update-schema", false, "write the JSON schemas again")

// Of makes the schema of a type. The test runs in the type's own directory; others maps
// further packages to theirs. texts are types that a file has as text.
func Of(tb testing.TB, v any, title string, others map[string]string, texts ...any) *jsonschema.Schema {
	tb.Helper()
	own := reflect.TypeOf(v).PkgPath()
	r := &jsonschema.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true, Anonymous: true,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			for _, text := range texts {
				if t == reflect.TypeOf(text) {
					return &jsonschema.Schema{Type: "string", Format: "regex"}
				}
			}
			return nil
		},
	}
	dirs := map[string]string{own: "."}
	maps.Copy(dirs, others)
	comments := map[string]string{}
	for pkg, dir := range dirs {
		one := &jsonschema.Reflector{}
		if err := one.AddGoComments("x", dir, jsonschema.WithFullComment()); err != nil {
			tb.Fatal(err)
		}
		from := path.Join("x", dir)
		for name, text := range one.CommentMap {
			if rest, ok := strings.CutPrefix(name, from+"."); ok {
				comments[pkg+"."+rest] = strings.Join(strings.Fields(text), " ")
			}
		}
	}
	r.CommentMap = comments
	s := r.Reflect(v)
	s.Title, s.Description = title, ""
	return s
}

// Hold fails where the file is not the schema, or writes it.
func Hold(tb testing.TB, s *jsonschema.Schema, file string) {
	tb.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		tb.Fatal(err)
	}
	if *Update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(got, out.Bytes()) {
		tb.Errorf("%s is not what the Go types say: go test in this directory with -update-schema, and look at the difference", file)
	}
}

// Require names the keys that a definition must have; "" is the file itself.
func Require(tb testing.TB, s *jsonschema.Schema, definition string, keys ...string) {
	tb.Helper()
	at := find(tb, s, definition)
	for _, k := range keys {
		if _, ok := at.Properties.Get(k); !ok {
			tb.Fatalf("%s has no %s", definition, k)
		}
	}
	at.Required = keys
}

// Enum says which texts a key may have. Of a list it is about its items.
func Enum(tb testing.TB, s *jsonschema.Schema, definition, key string, values ...string) {
	tb.Helper()
	p, ok := find(tb, s, definition).Properties.Get(key)
	if !ok {
		tb.Fatalf("%s has no %s", definition, key)
	}
	if p.Items != nil {
		p = p.Items
	}
	for _, v := range values {
		p.Enum = append(p.Enum, v)
	}
}

func find(tb testing.TB, s *jsonschema.Schema, definition string) *jsonschema.Schema {
	tb.Helper()
	if definition == "" {
		return s
	}
	d, ok := s.Definitions[definition]
	if !ok {
		tb.Fatalf("no definition %s", definition)
	}
	return d
}

// Examples are the YAML blocks of a guide, each of which the schema of a file takes. A guide
// without one fails the test.
func Examples(tb testing.TB, guide, schemaFile string) []string {
	tb.Helper()
	page, err := os.ReadFile(guide)
	if err != nil {
		tb.Fatal(err)
	}
	schema, err := validator.NewCompiler().Compile(schemaFile)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, b := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		var doc any
		if err := yaml.Unmarshal(b[1], &doc); err != nil {
			tb.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			tb.Errorf("%s\n%v", b[1], err)
		}
		out = append(out, string(b[1]))
	}
	if len(out) == 0 {
		tb.Fatalf("%s has no example", guide)
	}
	return out
}
