<?php
// Pages are merged one after the other.
function all(int $n): array
{
    $all = [];
    for ($i = 0; $i < $n; $i++) {
        $all = array_merge($all, ["k$i" => strtoupper("value $i")]); // WASTE
    }
    return $all;
}
echo count(all((int) $argv[1])), "\n";
