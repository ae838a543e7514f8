# Counts different words, looking each up with grep.
use strict;
use warnings;

sub words {
    my ($n) = @_;
    my @words;
    my $x = 1;
    for (1 .. $n) {
        $x = ($x * 69069 + 1) % 2147483648;
        push @words, "word$x";
    }
    return @words;
}

sub different {
    my @seen;
    for my $word (@_) {
        push @seen, $word unless grep { $_ eq $word } @seen; # GROWS
    }
    return scalar @seen;
}

print different(words($ARGV[0])), "\n";
