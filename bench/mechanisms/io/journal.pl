# Keeps a journal that is opened for each entry; "mend" keeps it open.
use strict; use warnings;
my ($how, $n) = @ARGV;
my $path = "/tmp/mech-journal.txt";
unlink $path;
sub entry { my ($text) = @_; open(my $f, '>>', $path) or die; print $f "$text\n"; close $f; }
sub journal { for my $i (1 .. $n) { entry("order $i shipped"); } }
sub kept { open(my $f, '>>', $path) or die; for my $i (1 .. $n) { print $f "order $i shipped\n"; } close $f; }
$how eq 'mend' ? kept() : journal();
