package catalog

import (
	"strings"
	"testing"
)

// ordinary are names that programs of anybody may have.
const ordinary = `agent analyze api app archive assemble backup batch bench benchmark build bundle cache calc check
	cli client codec collect compare compile compress convert converter copy count crawl crawler cube daemon db
	decode decoder decompress demo diff display edit encode encoder engine example export exporter filter fix flow
	format formatter gateway gen generate geoimport graph grid hash identify import importer index indexer ingest
	inspect job join layout lint list load loader main match merge mesh minify monitor montage node-app order
	pack parse parser pipeline plan play print process prog program proxy query queue rank read render replay report
	resize route router run sample scan scanner scheduler score search sensors serve server show sim simulate solve
	solver sort split stats store stream summary sync table tag test thumb tokenize tool track tracker train translate
	tree update verify view watch web work worker write writer`

// What is told by the name of a binary alone must not be told of anybody's program of that
// name: a converter of Markdown was taken for ImageMagick's convert.
func TestNamesOfOrdinaryPrograms(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	matches := func(ps []Pattern, name string) bool {
		for _, p := range ps {
			if p.MatchString(name) {
				return true
			}
		}
		return false
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, f := range e.Match.Any {
			if len(f.Name)+len(f.File) > 0 {
				continue
			}
			for name := range strings.FieldsSeq(ordinary) {
				byLibrary := len(f.Library) > 0 && matches(f.Library, name) && !matches(f.NotLibrary, name)
				byProgram := len(f.Library) == 0 && len(e.Match.Seen)+len(e.Match.Inside) == 0 && matches(e.Match.Program, name)
				if byLibrary || byProgram {
					t.Errorf("%s is told of any program that is called %s", e.ID, name)
				}
			}
		}
	}
}
