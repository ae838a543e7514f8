<?php
// Pairs of PHP functions and habits: php pairs.php SIDE [TIMES]. run.py compares
// the CPU times of two sides.
$rows = [];
for ($i = 0; $i < 20000; $i++) $rows[] = ['id' => $i, 'name' => "user$i", 'score' => $i * 1.37, 'tags' => ['a', 'b'], 'nested' => ['x' => $i]];

function work(int $n): int { $t = 0; for ($i = 0; $i < $n; $i++) $t += $i % 7 ? ($i * 3) % 11 : $i & 3; return $t; }

$sides = [
  'serialize' => function () use ($rows) { $n = 0; for ($k = 0; $k < 6; $k++) $n += count(unserialize(serialize($rows))); return $n; },
  'igbinary' => function () use ($rows) { $n = 0; for ($k = 0; $k < 6; $k++) $n += count(igbinary_unserialize(igbinary_serialize($rows))); return $n; },
  'json' => function () use ($rows) { $t = json_encode($rows); $n = 0; for ($k = 0; $k < 8; $k++) $n += count(json_decode($t, true)); return $n; },
  'work' => fn() => work(12000000),
  'date-create' => function () { $n = 0; for ($i = 0; $i < 250000; $i++) $n += (int) (new DateTime('2026-03-04 12:00:' . (10 + $i % 40)))->format('s'); return $n; },
  'date-strtotime' => function () { $n = 0; for ($i = 0; $i < 250000; $i++) $n += (int) date('s', strtotime('2026-03-04 12:00:' . (10 + $i % 40))); return $n; },
  'date-digits' => function () { $n = 0; for ($i = 0; $i < 250000; $i++) { $s = '2026-03-04 12:00:' . (10 + $i % 40); $n += (int) substr($s, 17, 2) + (int) substr($s, 11, 2) * 0; } return $n; },
  'eval-each' => function () { $n = 0; for ($i = 0; $i < 120000; $i++) $n += eval('return ' . ($i % 7) . ' * 3 + ($i > ' . ($i % 5) . ' ? 1 : 2);'); return $n; },
  'eval-none' => function () { $n = 0; $f = fn($a, $b, $i) => $a * 3 + ($i > $b ? 1 : 2); for ($i = 0; $i < 120000; $i++) $n += $f($i % 7, $i % 5, $i); return $n; },
  'in-array' => function () { $k = []; for ($i = 0; $i < 2500; $i++) $k[] = "user$i"; $n = 0; for ($i = 0; $i < 20000; $i++) $n += in_array("user$i", $k, true) ? 1 : 0; return $n; },
  'isset' => function () { $k = []; for ($i = 0; $i < 2500; $i++) $k["user$i"] = true; $n = 0; for ($i = 0; $i < 20000; $i++) $n += isset($k["user$i"]) ? 1 : 0; return $n; },
];
if (!isset($argv[1], $sides[$argv[1]])) { fwrite(STDERR, implode("\n", array_keys($sides)) . "\n"); exit(2); }
$n = 0;
for ($i = (int) ($argv[2] ?? 1); $i > 0; $i--) $n += $sides[$argv[1]]();
echo $n, "\n";
