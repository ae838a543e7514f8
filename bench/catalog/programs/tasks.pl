#!/usr/bin/perl
# Small programs around the habits of pairs.pl, with other data: perl tasks.pl SIDE [TIMES].
use strict;
use warnings;

my @requests = map { "10.0." . $_ % 256 . ".7 GET /" . (qw(shop news img api))[$_ % 4] . "/item" . ($_ * 31) % 977 . "?page=" . $_ % 13 } 1 .. 20000;
my %routes = (shop => '/shop/item\d+', page => 'page=(?:1|7|11)\b', api => '/api/\w+[02468]\?');
my @rows = map { [$_ % 17, ($_ * 7919) % 1000, 1 + $_ % 5] } 1 .. 8000;
my @formulas = map { "\$_[0] * $_ + (\$_[1] > " . 20 * $_ . " ? \$_[2] : 0)" } 1 .. 17;

my %sides = (
  'routes-each' => sub { my %n; for my $r (@requests) { for my $k (sort keys %routes) { my $p = $routes{$k}; $n{$k}++ if $r =~ m{$p} } } $n{shop} },
  'routes-once' => sub { my %n; my %q = map { $_ => qr{$routes{$_}} } keys %routes; for my $r (@requests) { for my $k (sort keys %q) { $n{$k}++ if $r =~ $q{$k} } } $n{shop} },
  'formulas-each' => sub { my $n = 0; for my $r (@rows) { local @_ = @$r; $n += eval $formulas[$r->[0]] } $n },
  'formulas-once' => sub { my $n = 0; my @f = map { eval "sub { $_ }" } @formulas; for my $r (@rows) { $n += $f[$r->[0]]->(@$r) } $n },
);
my $side = $sides{ $ARGV[0] // '' } or die join("\n", sort keys %sides) . "\n";
my $n = 0;
$n += $side->() for 1 .. $ARGV[1] // 1;
print "$n\n";
