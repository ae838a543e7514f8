# Counts words.
while (1) {
    my %count;
    $count{ "w" . ( $_ % 997 ) } .= "x" for 1 .. 50000;
    my @sorted = sort keys %count;
}
