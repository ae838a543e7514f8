<?php
// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
$length = (int) $argv[2];
$items = range(0, $length - 1);
$table = array_fill_keys($items, 1);
$text = str_repeat("x", $length);
$other = [];

function work($i) {
    global $other;
    $other[$i % 64] = ($other[$i % 64] ?? 0) + $i % 7;
}
function member($i) {
    global $items;
    return in_array(-$i - 1, $items, true); // WASTE member
}
function index($i) {
    global $items;
    return array_search(-$i - 1, $items); // WASTE index
}
function shift($i) {
    global $items;
    $items[] = $i;
    return array_shift($items); // WASTE shift
}
function front($i) {
    global $items;
    array_unshift($items, $i); // WASTE front
    array_pop($items);
}
function merged($i) {
    global $items;
    return count(array_merge($items, [$i])); // WASTE merged
}
function spread($i) {
    global $items;
    return count([...$items, $i]); // WASTE spread
}
function union($i) {
    global $table;
    return count($table + [-$i => 1]); // WASTE union
}
function string($i) {
    global $text;
    $longer = $text . $i; // WASTE string
    return strlen($longer);
}
function rest($i) {
    global $text;
    return strlen(substr($text, 1)); // WASTE rest
}
function sliced($i) {
    global $items;
    return count(array_slice($items, 1)); // WASTE sliced
}
function keys($i) {
    global $table;
    return count(array_keys($table)); // WASTE keys
}
function values($i) {
    global $table;
    return array_values($table)[0]; // WASTE values
}
function copied($i) {
    global $items;
    $copy = $items;
    $copy[0] = $i; // WASTE copied
    return count($copy);
}
function unique($i) {
    global $items;
    return count(array_unique($items)); // WASTE unique
}
function multibyte($i) {
    global $text, $length;
    return mb_substr($text, $length - 2, 1); // WASTE multibyte
}
function sum($i) {
    global $items;
    return array_sum($items); // WASTE sum
}

function all($op, $rounds) {
    for ($i = 0; $i < $rounds; $i++) {
        $op($i);
        work($i);
    }
}
all($argv[1], (int) $argv[3]);
