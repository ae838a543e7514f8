<?php
// Orders of customers, from SQLite in memory: `waste` has no index on what is asked for.
[, $kind, $customers, $rounds] = $argv;
$db = new PDO("sqlite::memory:");
$db->exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total REAL)");
$db->beginTransaction();
$insert = $db->prepare("INSERT INTO orders (customer, total) VALUES (?, ?)");
for ($i = 0; $i < $customers * 4; $i++) {
    $insert->execute([$i % $customers, $i * 0.5]);
}
$db->commit();
if ($kind !== "waste") {
    $db->exec("CREATE INDEX of_customer ON orders (customer)");
}
$select = $db->prepare("SELECT total FROM orders WHERE customer = ?");
function total($select, $customer) {
    $select->execute([$customer]); // WASTE
    $sum = 0;
    foreach ($select->fetchAll(PDO::FETCH_COLUMN) as $total) {
        $sum += $total;
    }
    return $sum;
}
$sum = 0;
for ($i = 0; $i < $rounds; $i++) {
    $sum += total($select, $i % $customers);
}
echo $sum, "\n";
