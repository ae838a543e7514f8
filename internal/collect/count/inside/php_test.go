package inside

import (
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
		profile.FunctionCalls{Name: `Shop\Tool::__construct`, Count: 1201, Looked: 1201, Different: 304, Repeated: 897, Same: 897},
		profile.FunctionCalls{Name: `Shop\Tool::use`, Count: 300, Looked: 300, Different: 300, Results: 300},
		profile.FunctionCalls{Name: `Shop\Tool::never`},
		profile.FunctionCalls{Name: `Shop\Tool::fails`, Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: `Shop\Tool::build`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1},
		profile.FunctionCalls{Name: `Shop\Table::add`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300},
		profile.FunctionCalls{Name: `Shop\Table::widest`, Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3},
		profile.FunctionCalls{Name: `Shop\Table::chained`, Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300},
		profile.FunctionCalls{Name: `Shop\Table::each`, Count: 300},
		profile.FunctionCalls{Name: `Shop\Table::asks`, Count: 300},
		profile.FunctionCalls{Name: `Shop\Table::either`, Count: 300, Looked: 300, Different: 2, Repeated: 298, Same: 298, Results: 1, Nothing: 150},
		profile.FunctionCalls{Name: `Shop\temporary`, Count: 301, Looked: 301, Different: 301, Results: 301})
}
