<?php
// Defaults are merged into the options of each request.
function request(array $options): int
{
    $o = array_merge(['retries' => 3, 'verbose' => false, 'to' => ''], $options);
    $text = '';
    for ($k = 0; $k < 10; $k++) {
        $text .= sprintf("%s-%d;", $o['to'], $k);
    }
    return strlen($text) + (in_array($o['to'], ['a', 'b', 'c']) ? 1 : 0);
}
$sum = 0;
for ($i = 0; $i < (int) $argv[1]; $i++) {
    $sum += request(['to' => "host$i"]);
}
echo $sum, "\n";
