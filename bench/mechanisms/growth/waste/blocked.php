<?php
// Addresses are looked for in a list.
$blocked = [];
for ($i = 0; $i < 3000; $i++) {
    $blocked[] = "10.0." . intdiv($i, 250) . "." . ($i % 250);
}
$hits = 0;
for ($i = 0; $i < (int) $argv[1]; $i++) {
    $hits += in_array("10.1." . ($i % 250) . ".7", $blocked) ? 1 : 0; // WASTE
}
echo $hits, "\n";
