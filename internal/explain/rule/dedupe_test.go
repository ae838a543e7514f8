package rule

import (
	"strings"
	"testing"
)

// Of two that hold for the same samples, what changes the work speaks before a setting, and the
// setting is named.
func TestTheWorkSpeaksBeforeASetting(t *testing.T) {
	p := parse(t, `main (/srv/app.js:1);reduce (/srv/app.js:9);produce (/srv/node_modules/immer/dist/cjs/immer.cjs.development.js:900) 900
main (/srv/app.js:1);work (/srv/app.js:12) 100
`)
	fs := run(t, p, only(t, "node-dev-build", "node-immutable-data"), nil)
	if len(fs) != 1 || fs[0].Rule != "node-immutable-data" {
		t.Fatalf("got %d findings, first %+v", len(fs), fs)
	}
	if last := fs[0].Fix.Steps[len(fs[0].Fix.Steps)-1]; !strings.HasPrefix(last, "Instead: Framework runs as a development build") {
		t.Errorf("the setting is not named: %q", fs[0].Fix.Steps)
	}
}
