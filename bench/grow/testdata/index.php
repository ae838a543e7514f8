<?php
// Builds an index with keys, and sorts it: n log n.
$n = (int) $argv[1];
$index = [];
for ($i = 0; $i < $n; $i++) {
    $key = md5((string) ($i % 50000 + intdiv($i, 3)));
    if (!isset($index[$key])) {
        $index[$key] = [];
    }
    $index[$key][] = $i;
}
ksort($index);
echo count($index), "\n";
