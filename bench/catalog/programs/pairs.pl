#!/usr/bin/perl
# Pairs of Perl habits: perl pairs.pl SIDE [TIMES]. run.py compares the CPU times
# of two sides.
use strict;
use warnings;
use locale;
use POSIX ();
use Time::Local ();

my @lines = map { my $i = $_; "user$i,alpha" . ($i % 97) . "," . $i * 3.7 } 1 .. 60000;
my @names = map { join "", map { chr(97 + ($_ * 7919) % 26) } $_ .. $_ + 9 } 1 .. 60000;

my %sides = (
  'regex-each' => sub { my $n = 0; my @w = qw(alpha7 alpha13 user99); for my $l (@lines) { for my $w (@w) { $n++ if $l =~ /\b$w\b/ } } $n },
  'regex-once' => sub { my $n = 0; my @w = map { qr/\b$_\b/ } qw(alpha7 alpha13 user99); for my $w (@w) { for my $l (@lines) { $n++ if $l =~ $w } } $n },
  'mktime' => sub { my $n = 0; for my $i (1 .. 200000) { my @t = (10 + $i % 40, 0, 12, 4, 2, 126); $n += POSIX::mktime(@t) % 60 } $n },
  'timegm' => sub { my $n = 0; for my $i (1 .. 200000) { $n += Time::Local::timegm_modern(10 + $i % 40, 0, 12, 4, 2, 2026) % 60 } $n },
  'eval-each' => sub { my $n = 0; for my $i (1 .. 15000) { $n += eval("\$i * " . ($i % 7) . " + (\$i > 5 ? 1 : 2)") } $n },
  'eval-none' => sub { my $n = 0; for my $i (1 .. 15000) { $n += $i * ($i % 7) + ($i > 5 ? 1 : 2) } $n },
  'sort-locale' => sub { my @s = sort @names; length $s[3] },
  'sort-bytes' => sub { no locale; my @s = sort @names; length $s[3] },
);
my $side = $sides{ $ARGV[0] // '' } or die join("\n", sort keys %sides) . "\n";
my $n = 0;
$n += $side->() for 1 .. $ARGV[1] // 1;
print "$n\n";
