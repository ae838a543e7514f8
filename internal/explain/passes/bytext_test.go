package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestCopiesByText(t *testing.T) {
	checkAll(t, map[string]written{
		"JavaScript": {"/me/a.mjs", `
export function reduce(state, event) {
  const next = JSON.parse(JSON.stringify(state));  @1
  next.count += event.n;  @2
  return next;
}
`, "reduce@1 JsonParse", "reduce@2", profile.KindJS, RuleByText, "@1 by way of"},
		"a short function of its own": {"/me/a.js", `
const clone = (value) => JSON.parse(JSON.stringify(value));  @3
function reduce(state, event) {
  const next = clone(state);  @1
  next.count += event.n;  @2
}
`, "reduce@1 clone@3 JsonParse", "reduce@2", profile.KindJS, RuleByText, "@1 by way of"},
		"PHP": {"/me/a.php", `
function next_state($state) {
    $copy = unserialize(serialize($state));  @1
    $copy->n++;  @2
}
`, "next_state@1 php_var_unserialize", "next_state@2", profile.KindPHP, RuleByText, "@1 by way of"},
		"what comes from elsewhere": {"/me/a.js", `
function load(text) {
  const next = JSON.parse(text);  @1
  use(next);  @2
}
`, "load@1 JsonParse", "load@2", profile.KindJS, "", ""},
	})
}

func TestFilesParsedOnEachCall(t *testing.T) {
	const texts = `
class Translator {
    public function get(string $key): string {
        return $this->messages($this->locale)[$key];  @2
    }
    private function messages(string $locale): array {
        $file = $this->dir . '/' . $locale . '.json';
        return json_decode(file_get_contents($file), true);  @1
    }
}
`
	checkAll(t, map[string]written{
		"the same each time": {"/me/a.php", texts, "get@2 messages@1 php_json_decode_ex", "get@2", profile.KindPHP, RuleParsed, "@1 parses a"},
		"each file of a list": {"/me/a.php", `
function load($file) {
    return json_decode(file_get_contents($file), true);  @1
}
foreach ($files as $f) {
    use_it(load($f));  @2
}
`, "main@2 load@1 php_json_decode_ex", "main@2", profile.KindPHP, "", ""},
		"a file of each pass": {"/me/a.py", `
def main(paths):
    for path in paths:
        rows = json.load(open(path))  @1
        use(rows)  @2
`, "main@1 load", "main@2", profile.KindPython, "", ""},
		"a configuration": {"/me/a.py", `
def setting(name):
    return json.load(open(CONFIG))[name]  @1
def main(orders):
    for order in orders:
        total += order.price * setting("rate")  @2
`, "main@2 setting@1 load", "main@2", profile.KindPython, RuleParsed, "@1 parses a"},
	})
	// A start that reads it once, for long.
	p := read("/me/a.php", texts, profile.KindPHP)
	p.add(200, "get@2 messages@1 php_json_decode_ex")
	p.add(200, "get@2")
	if got := p.found(t); len(got) > 0 {
		t.Errorf("read once: %s", got[0].Title)
	}
}
