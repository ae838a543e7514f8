my ($kind, $n, $wrong, $burn) = @ARGV;
my $x = 0; $x += $_ for 1 .. $burn * 200_000;
my @v = map { $_ * $_ + ($wrong && $_ == 7 ? 1 : 0) } 0 .. $n - 1;
if ($kind eq "keys") { my %h = map { ("key$_" => $v[$_]) } 0 .. $n - 1; print "$_ $h{$_}\n" for keys %h }
else { my @r = map { my $y = $_; \$y } @v; print "$_ ${$_}\n" for @r }
