# A text is put in front of itself.
use strict;
use warnings;
my $n = shift;
my $text = '';
for my $i (1 .. $n) {
    $text = "line $i\n" . $text;    # WASTE
}
print length($text), "\n";
