package inside

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whyhot/internal/profile"
)

const phpProgram = `#!/usr/bin/env php
<?php
declare(strict_types=1);

namespace Shop;

class Tool
{
    public $text;
    function __construct(string $text) { $this->text = $text; }
    function use(int $number) { return $number; }
    function never(): void { }
    function fails() { throw new \Exception("no"); }
    static function build(string $text): static { return new static($text); }
}

class Table
{
    private array $rows = [];
    function add(string $row): int { $this->rows[] = $row; return count($this->rows); }
    function widest(int $of): array { return array_map(function ($r) use ($of) { return [strlen($r), $of]; }, [$this->rows[0]]); }
    function chained(): self { return $this; }
    function each() { yield 1; }
    function asks() { return count(get_defined_vars()); }
    function &reference() { return $this->rows; }
    function either(bool $one) { if ($one) return "{$this->rows[0]}" ?: 1; else return null; }
}

function temporary(Tool $tool): string { return $tool->text . "!"; }

$table = new Table();
for ($n = 0; $n < 300; $n++) {
    (new Tool("the same"))->use($n);
    Tool::build("built");
    $table->add("row");
    $table->widest($n % 3);
    $table->chained();
    foreach ($table->each() as $_) { }
    if ($table->asks() !== 0) exit(9);
    $table->reference();
    $table->either($n % 2 === 0);
    temporary(new Tool("text $n"));
    try { (new Tool(""))->fails(); } catch (\Exception $e) { if (__LINE__ !== 43) exit(8); }
}
if (PHP_SAPI !== 'cli' || basename(__FILE__) !== 'p.php' || isset($__whyhot)) exit(7);
register_shutdown_function(function () { temporary(new Tool("the end")); });
exit(0);
`

// As of Python, also what is called when the script has ended.
func TestPHP(t *testing.T) {
	got, file := run(t, profile.KindPHP, "php", "p.php", phpProgram, nil,
		`Shop\Tool::__construct`, `Shop\Tool::use`, `Shop\Tool::never`, `Shop\Tool::fails`, `Shop\Tool::build`, `Shop\Table::add`, `Shop\Table::widest`,
		`Shop\Table::chained`, `Shop\Table::each`, `Shop\Table::asks`, `Shop\Table::reference`, `Shop\Table::either`, `Shop\temporary`)
	if len(got.NotCounted) != 1 { // reference
		t.Errorf("%v", got.NotCounted)
	}
	got.NotCounted = nil
	held(t, got, file,
		profile.FunctionCalls{Name: `Shop\Tool::__construct`, Count: 1201, Looked: 1201, Different: 304, Repeated: 897, Same: 897, Nothing: 1201, Cyclic: 11},
		profile.FunctionCalls{Name: `Shop\Tool::use`, Count: 300, Looked: 300, Different: 300, Results: 300, Plain: 300},
		profile.FunctionCalls{Name: `Shop\Tool::never`},
		profile.FunctionCalls{Name: `Shop\Tool::fails`, Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: `Shop\Tool::build`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		profile.FunctionCalls{Name: `Shop\Table::add`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: `Shop\Table::widest`, Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		profile.FunctionCalls{Name: `Shop\Table::chained`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: `Shop\Table::each`, Count: 300},
		profile.FunctionCalls{Name: `Shop\Table::asks`, Count: 300},
		profile.FunctionCalls{Name: `Shop\Table::either`, Count: 300, Looked: 300, Different: 2, Repeated: 298, Same: 298, Results: 1, Nothing: 150, Cyclic: 296},
		profile.FunctionCalls{Name: `Shop\temporary`, Count: 301, Looked: 301, Different: 301, Results: 301})
}

// A file is rewritten when it is included, also by another one and by a loader of classes.
func TestPHPInclude(t *testing.T) {
	files := map[string]string{
		"p.php":    "<?php\nrequire_once __DIR__ . '/load.php';\nchdir('/');\nfor ($n = 0; $n < 30; $n++) { Own::twice($n % 3); }\nif (Own::where() !== __DIR__ . '/Own.php:4' || !in_array(__DIR__ . '/Own.php', get_included_files())) exit(3);\ntry { Own::fails(); } catch (Exception $e) { if ($e->getLine() !== 5) exit(4); }\n",
		"load.php": "<?php\nspl_autoload_register(function ($class) { (include __DIR__ . \"/$class.php\") or exit(5); });\n",
		"Own.php":  "<?php\nclass Own {\n    static function twice($n) { return [$n, $n * 2]; }\n    static function where() { return __FILE__ . ':' . __LINE__; }\n    static function fails() { throw new Exception(); }\n}\nreturn true;\n",
	}
	got, file := runIn(t, profile.KindPHP, "php", files, "Own.php", "p.php", nil, "Own::twice", "Own::fails")
	held(t, got, file,
		profile.FunctionCalls{Name: "Own::twice", Count: 30, Looked: 30, Different: 3, Repeated: 27, Same: 27, Results: 3, Cyclic: 24},
		profile.FunctionCalls{Name: "Own::fails", Count: 1, Looked: 1, Different: 1, Nothing: 1})
}

// What PHP prints of an exception that nobody catches is the same with the counter.
func TestPHPUncaught(t *testing.T) {
	path, err := exec.LookPath("php")
	if err != nil {
		t.Skip("no php")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "p.php")
	if err := os.WriteFile(file, []byte("<?php\nfunction fails($n) { if ($n) fails($n - 1); else throw new LogicException('no', 1, new Exception('inner')); }\nfails(2);\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Prepare(t.TempDir(), []Function{{Name: "fails", File: file, Kind: profile.KindPHP}})
	if err != nil {
		t.Fatal(err)
	}
	without, _ := exec.Command(path, file).CombinedOutput() //nolint:errcheck // it fails
	cmd := exec.Command(path, file)
	cmd.Env = r.Environment
	with, err := cmd.CombinedOutput()
	if err == nil || string(with) != string(without) {
		t.Errorf("%v: %s\n%s", err, with, without)
	}
	if got, err := r.Read(); err != nil || len(got.Functions) != 1 || got.Functions[0].Count != 3 {
		t.Errorf("%v %+v", err, got)
	}
}

const phpTimed = `<?php
function late($n) { if ($n === 7 && $GLOBALS['n'] > 300) { usleep(200000); } return $n; }
function itself($n) { return $n === 0 ? 0 : itself($n - 1); }
for ($n = 0; $n < 400; $n++) {
    late($n % 300);
    itself(3);
}
`

// The time of a call counts where the number of the call belongs.
func TestPHPTimes(t *testing.T) {
	got, _ := run(t, profile.KindPHP, "php", "p.php", phpTimed, nil, "late", "itself")
	timed(t, got, "late", "itself")
}
