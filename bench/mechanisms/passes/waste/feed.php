<?php
function loadCurrencies(string $text): array
{
    $out = [];
    foreach (explode("\n", $text) as $row) {
        [$code, $rate] = explode(':', $row);
        $out[$code] = (float) $rate;
    }
    ksort($out);
    return $out;
}

function convert(array $items, string $text): float
{
    $sum = 0.0;
    foreach ($items as $item) {
        $rates = loadCurrencies($text);  // WASTE
        $sum += $item['amount'] * $rates[$item['currency']];
    }
    return $sum;
}

$rows = [];
for ($i = 0; $i < 300; $i++) {
    $rows[] = 'C' . $i . ':' . ($i % 13 + 1) / 7;
}
$items = [];
for ($i = 0; $i < 30000; $i++) {
    $items[] = ['amount' => $i % 100, 'currency' => 'C' . ($i * 7 % 300)];
}
printf("%.2f\n", convert($items, implode("\n", $rows)));
