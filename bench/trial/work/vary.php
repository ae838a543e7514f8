<?php
[$n, $wrong, $burn] = array_map('intval', array_slice($argv, 1));
for ($i = 0; $i < $burn * 500000; $i++);
$v = [];
for ($i = 0; $i < $n; $i++) $v[] = $i * $i + ($i == 7 ? $wrong : 0);
shuffle($v);
foreach ($v as $x) echo uniqid(), " row=$x\n";
