# OP LENGTH ROUNDS: an operation on a container of that length, once a round.
use strict;
use warnings;
use List::Util qw(first any max);
my ($op, $length, $rounds) = @ARGV;
my @items = (0 .. $length - 1);
my %table = map { $_ => 1 } @items;
my $text = "x" x $length;
my $wide = "\x{fc}\x{20ac}" x ($length / 2);
my @other = (0) x 64;

sub work { my ($i) = @_; $other[$i % 64] += $i % 7 }
sub grepped {
    my ($i) = @_;
    return scalar grep { $_ == -$i } @items;    # WASTE grepped
}
sub anyof {
    my ($i) = @_;
    return any { $_ == -1 } @items;    # WASTE anyof
}
sub firstof {
    my ($i) = @_;
    return first { $_ == -1 } @items;    # WASTE firstof
}
sub largest {
    return max(@items);    # WASTE largest
}
sub middle {
    my ($i) = @_;
    splice(@items, $length / 2, 0, $i);    # WASTE middle
    pop @items;
}
sub copied {
    my ($i) = @_;
    my @copy = (@items, $i);    # WASTE copied
    return scalar @copy;
}
sub hashcopy {
    my ($i) = @_;
    my %copy = (%table, $i => 1);    # WASTE hashcopy
    return scalar keys %copy;
}
sub string {
    my ($i) = @_;
    my $longer = $text . $i;    # WASTE string
    return length $longer;
}
sub front {
    my ($i) = @_;
    substr($text, 0, 1, "yy");    # WASTE front
    chop $text;
}
sub rest {
    return length substr($text, 1);    # WASTE rest
}
sub wide {
    return substr($wide, $length / 2, 1) . length($wide . "x");    # WASTE wide
}
sub joined {
    return length join(",", @items);    # WASTE joined
}
sub passed { return scalar @_ }
sub listed {
    return passed(my @copy = @items);    # WASTE listed
}
sub find {
    return index($text, "y");    # WASTE find
}
sub all {
    no strict 'refs';
    my $run = \&$op;
    for my $i (0 .. $rounds - 1) {
        $run->($i);
        work($i);
    }
}
all();
