# Words are counted in a hash, lines are appended.
use strict;
use warnings;
my $n = shift;
my (%count, $text);
for my $i (1 .. $n) {
    my @words = map { "w" . ($i * $_ % 1009) } 1 .. 5;
    $count{$_}++ for @words;
    $text .= join(' ', @words) . "\n";
}
print scalar(keys %count), ' ', length($text), "\n";
