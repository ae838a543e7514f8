use strict;
use warnings;

my $WEIGHTS = join("\n", map { "k$_ " . ($_ % 11) } 0 .. 399);

sub weights {
    my ($text) = @_;
    my %out;
    for my $line (split /\n/, $text) {
        my ($k, $v) = split ' ', $line;
        $out{$k} = $v;
    }
    return \%out;
}

sub score {
    my ($doc) = @_;
    my $w = weights($WEIGHTS);  # WASTE
    my $sum = 0;
    $sum += $w->{$_} // 0 for @$doc;
    return $sum;
}

my $all = 0;
for my $n (1 .. 12000) {
    my @doc = map { "k" . ($n * $_ % 450) } 1 .. 8;
    $all += score(\@doc);
}
print "$all\n";
