<?php
// Values are appended, and looked up by key.
$seen = [];
$all = [];
for ($i = 0; $i < (int) $argv[1]; $i++) {
    $name = "name" . ($i * 7919 % (int) $argv[1]);
    if (!isset($seen[$name])) {
        $seen[$name] = true;
        $all[] = strtoupper($name);
    }
}
echo count($all), "\n";
