<?php
// Collects rows with array_merge, which copies what there is each time.
function page(int $number): array
{
    $rows = [];
    for ($i = 0; $i < 5; $i++) {
        $rows[] = strtoupper("row " . ($number * 5 + $i));
    }
    return $rows;
}

function collect(int $pages): array
{
    $all = [];
    for ($i = 0; $i < $pages; $i++) {
        $all = array_merge($all, page($i)); // GROWS
    }
    return $all;
}

echo count(collect((int) $argv[1])), "\n";
