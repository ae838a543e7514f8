# Groups records in hashes of arrays, and sorts them: n log n.
use strict;
use warnings;

my %groups;
my $x = 1;
for my $i (1 .. $ARGV[0]) {
    $x = ($x * 69069 + 1) % 2147483648;
    push @{ $groups{ $x % 1000 } }, "record $x";
}
my $length = 0;
for my $key (sort keys %groups) {
    $length += length join ",", sort @{ $groups{$key} };
}
print "$length\n";
