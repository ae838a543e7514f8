# Names are looked for with grep.
use strict;
use warnings;
my $n = shift;
my @seen;
for my $i (1 .. $n) {
    my $name = 'name' . ($i * 7919 % $n);
    push @seen, $name unless grep { $_ eq $name } @seen;    # WASTE
}
print scalar(@seen), "\n";
