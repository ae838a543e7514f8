<?php
// Small programs around the habits of pairs.php, with other data: php tasks.php SIDE [TIMES].
$requests = [];
for ($i = 0; $i < 40000; $i++) $requests[] = sprintf('%02d/Mar/2026:%02d:%02d:%02d +0100 /item%d', 1 + $i % 28, $i % 24, $i % 60, ($i * 7) % 60, ($i * 31) % 4001);
$blocked = [];
for ($i = 0; $i < 900; $i++) $blocked[] = '/item' . ($i * 13) % 4001;

$day = fn(callable $of) => function () use ($requests, $of) { $n = []; foreach ($requests as $r) { $d = $of($r); $n[$d] = ($n[$d] ?? 0) + 1; } return count($n); };
$open = fn(callable $has) => function () use ($requests, $has) { $n = 0; foreach ($requests as $r) $n += $has(substr($r, strrpos($r, ' ') + 1)) ? 0 : 1; return $n; };

$sides = [
  'days-guessed' => $day(fn($r) => date('N H', strtotime(substr($r, 0, 26)))),
  'days-digits' => $day(fn($r) => date('N H', gmmktime((int) substr($r, 12, 2) - 1, (int) substr($r, 15, 2), (int) substr($r, 18, 2), 3, (int) substr($r, 0, 2), (int) substr($r, 7, 4)))),
  'open-list' => $open(fn($p) => in_array($p, $blocked)),
  'open-set' => (function () use ($open, $blocked) { $set = array_flip($blocked); return $open(fn($p) => isset($set[$p])); })(),
];
if (!isset($argv[1], $sides[$argv[1]])) { fwrite(STDERR, implode("\n", array_keys($sides)) . "\n"); exit(2); }
$n = 0;
for ($i = (int) ($argv[2] ?? 1); $i > 0; $i--) $n += $sides[$argv[1]]();
echo $n, "\n";
