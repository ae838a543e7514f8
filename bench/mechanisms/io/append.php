<?php
// Appends a line for each order by file_put_contents; "mend" keeps the file open.
[$_, $how, $n] = $argv;
$path = '/tmp/mech-append.txt';
@unlink($path);
function each_time($path, $n) { for ($i = 0; $i < $n; $i++) file_put_contents($path, "order $i paid\n", FILE_APPEND); }
function kept($path, $n) { $f = fopen($path, 'a'); stream_set_write_buffer($f, 65536); $part = ''; for ($i = 0; $i < $n; $i++) { $part .= "order $i paid\n"; if (strlen($part) > 65000) { fwrite($f, $part); $part = ''; } } fwrite($f, $part); }
$how === 'mend' ? kept($path, (int)$n) : each_time($path, (int)$n);
