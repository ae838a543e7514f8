package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestCopiesByText(t *testing.T) {
	const inGo = `
func (c *Cart) Clone() *Cart {
	b, err := json.Marshal(c)  @1
	if err != nil {
		panic(err)
	}
	out := new(Cart)
	if err := json.Unmarshal(b, out); err != nil {  @2
		panic(err)
	}
	return out
}
func main() { price(cart.Clone()) }  @3
`
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
		"the writer, in Go": {"/me/a.go", inGo, "main.main@3 main.(*Cart).Clone@1 encoding/json.Marshal", "main.main@3", profile.KindGo, RuleByText, "@1 by way of"},
		"the reader, in Go": {"/me/a.go", inGo, "main.main@3 main.(*Cart).Clone@2 encoding/json.Unmarshal", "main.main@3", profile.KindGo, RuleByText, "@1 by way of"},
		"a text that is sent, too": {"/me/a.go", `
func (c *Cart) Clone() *Cart {
	b, _ := json.Marshal(c)  @1
	send(b)
	out := new(Cart)
	json.Unmarshal(b, out)
	return out
}
func main() { price(cart.Clone()) }  @3
`, "main.main@3 main.(*Cart).Clone@1 encoding/json.Marshal", "main.main@3", profile.KindGo, "", ""},
		"another text that is read": {"/me/a.go", `
func answer(c *Cart, request []byte) []byte {
	in := new(Cart)
	json.Unmarshal(request, in)
	b, _ := json.Marshal(c)  @1
	return b
}
func main() { price(answer(cart, request)) }  @3
`, "main.main@3 main.answer@1 encoding/json.Marshal", "main.main@3", profile.KindGo, "", ""},
		"in two statements of Java": {"/me/A.java", `
class A {
  Order draft(Order order) throws Exception {
    String text = mapper.writeValueAsString(order);  @1
    return mapper.readValue(text, Order.class);
  }
  void all() {
    show(draft(order));  @3
  }
}
`, "all@3 draft@1 com.fasterxml.jackson.databind.ObjectMapper.writeValueAsString", "all@3", profile.KindJava, RuleByText, "@3 by way of"},
		"in two statements of JavaScript": {"/me/a.js", `
function draft(order, prices) {
  const text = JSON.stringify(order);  @1
  const copy = JSON.parse(text);
  copy.prices = prices;
  copy.state = 'draft';
  return copy;
}
for (const o of orders) show(draft(o, p));  @3
`, "<anonymous>@3 draft@1 stringify", "<anonymous>@3", profile.KindJS, RuleByText, "@1 by way of"},
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
		"a key whose first part is the file": {"/me/a.php", `
function config(string $path, mixed $default = null): mixed {
    [$file, $rest] = explode('.', $path, 2);
    $node = json_decode(file_get_contents(__DIR__ . "/config/$file.json"), true);  @1
    return $node[$rest] ?? $default;
}
foreach ($items as $item) {
    $tax += $item->net() * config("tax.rates.{$item->kind}", config('tax.default'));  @2
}
`, "main@2 config@1 php_json_decode_ex", "main@2", profile.KindPHP, RuleParsed, "@1 parses a"},
		"a key whose first part is the file, in Python": {"/me/a.py", `
def text(key):
    file, _, rest = key.partition(".")
    values = json.load(open(f"{DIR}/{file}.json"))  @1
    return values[rest]
def main(orders):
    for order in orders:
        send(order, text(f"mail.{order.kind}"))  @2
`, "main@2 text@1 load", "main@2", profile.KindPython, RuleParsed, "@1 parses a"},
		"a key whose first part is another each time": {"/me/a.py", `
def text(key):
    file, _, rest = key.partition(".")
    values = json.load(open(f"{DIR}/{file}.json"))  @1
    return values[rest]
def main(orders):
    for order in orders:
        send(order, text(f"{order.kind}.mail"))  @2
`, "main@2 text@1 load", "main@2", profile.KindPython, "", ""},
		"a configuration": {"/me/a.py", `
def setting(name):
    return json.load(open(CONFIG))[name]  @1
def main(orders):
    for order in orders:
        total += order.price * setting("rate")  @2
`, "main@2 setting@1 load", "main@2", profile.KindPython, RuleParsed, "@1 parses a"},
		"opened in one statement and parsed in another": {"/me/a.py", `
def setting(name):
    with open(CONFIG) as f:
        values = json.load(f)  @1
    return values[name]
def main(orders):
    for order in orders:
        total += order.price * setting("rate")  @2
`, "main@2 setting@1 load", "main@2", profile.KindPython, RuleParsed, "@1 parses a"},
		"read into a text of JavaScript": {"/me/a.js", `
function setting(name) {
  const text = fs.readFileSync(CONFIG, 'utf8');
  return JSON.parse(text)[name];  @1
}
function main(orders) {
  for (const order of orders) total += order.price * setting('rate');  @2
}
`, "main@2 setting@1 parse", "main@2", profile.KindJS, RuleParsed, "@1 parses a"},
		"read into bytes of Go": {"/me/a.go", `
func setting(name string) float64 {
	data, err := os.ReadFile(configPath)
	var values map[string]float64
	err = json.Unmarshal(data, &values)  @1
	return values[name]
}
func main() {
	for _, o := range orders {
		total += o.price * setting("rate")  @2
	}
}
`, "main@2 setting@1 encoding/json.Unmarshal", "main@2", profile.KindGo, RuleParsed, "@1 parses a"},
		"what comes over the network": {"/me/a.py", `
def setting(name):
    f = connection.receive()
    return json.load(f)[name]  @1
def main(orders):
    for order in orders:
        total += order.price * setting("rate")  @2
`, "main@2 setting@1 load", "main@2", profile.KindPython, "", ""},
		"a file for each order": {"/me/a.py", `
def lines(path):
    with open(path) as f:
        return json.load(f)  @1
def main(orders):
    for order in orders:
        total += len(lines(order.path))  @2
`, "main@2 lines@1 load", "main@2", profile.KindPython, "", ""},
	})
	// What reads the file counts, where that is another statement.
	two := read("/me/a.py", `
def setting(name):
    with open(CONFIG) as f:  @3
        values = json.load(f)  @1
    return values[name]
def main(orders):
    for order in orders:
        total += order.price * setting("rate")  @2
`, profile.KindPython)
	for range 40 {
		two.add(4, "main@2 setting@1 load")
		two.add(3, "main@2 setting@3 open")
		two.add(3, "main@2")
	}
	if got := two.found(t); len(got) != 1 || got[0].Share.Main() < 0.69 || got[0].Share.Main() > 0.71 {
		t.Errorf("read and parsed: %+v", got)
	}
	// A start that reads it once, for long.
	p := read("/me/a.php", texts, profile.KindPHP)
	p.add(200, "get@2 messages@1 php_json_decode_ex")
	p.add(200, "get@2")
	if got := p.found(t); len(got) > 0 {
		t.Errorf("read once: %s", got[0].Title)
	}
}

// A line that copies by way of text may do more: only what writes and reads the text goes away.
func TestOnlyTheTextOfALine(t *testing.T) {
	code := `
def total(items):
    for it in items:
        s += heavy(json.loads(json.dumps(it))) + sum(sorted(it.tags))  @1
        show(s)  @3
def heavy(d):
    return sum(d)  @2
`
	p := read("/me/a.py", code, profile.KindPython)
	p.add(120, "total@1 dumps")
	p.add(80, "total@1 loads")
	p.add(300, "total@1 heavy@2")
	p.add(200, "total@1 builtin_sorted")
	p.add(300, "total@3")
	got := p.found(t)
	if len(got) != 1 || got[0].Rule != RuleByText || *got[0].Share.Inclusive != 0.2 {
		t.Errorf("%+v", got)
	}
	p = read("/me/a.py", code, profile.KindPython)
	p.add(700, "total@1")
	p.add(300, "total@3")
	if got := p.found(t); len(got) != 1 || *got[0].Share.Inclusive != 0.7 {
		t.Errorf("without symbols: %+v", got)
	}
}
