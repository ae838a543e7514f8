package inside

import (
	"testing"

	"whyhot/internal/profile"
)

const perlProgram = `
use strict;
use warnings;
use List::Util;
$_ = 1;

package Tool;
sub new { my ($class, $text) = @_; return bless { text => $text }, $class }
sub use { my ($self, $number) = @_; return $number }
sub never { }
sub fails { die "no\n" }
sub seen { return join ' ', (caller(0))[0, 2, 3], (caller(1))[3] || '' }

package Table;
sub new { bless { rows => [] }, shift }
sub add { my ($self, $row) = @_; push @{ $self->{rows} }, $row; return scalar @{ $self->{rows} } }
sub widest { my ($self, $of) = @_; return ($of, [ map { length } @{ $self->{rows} }[0 .. 0] ]) }
sub chained { return $_[0] }
sub changes { $_[1]++; return }
sub context { return wantarray ? 'list' : defined wantarray ? 'scalar' : die }
sub pairs(\@$) { return @{ $_[0] } + $_[1] }
sub by_number { $a <=> $b }
sub by_argument($$) { $_[0] <=> $_[1] }

package main;
sub temporary { my $tool = shift; return $tool->{text} . '!' }
sub outer { return Tool::seen() }

my $table = Table->new;
my $changed = 0;
for my $n (1 .. 300) {
    my $tool = Tool->new('the same');
    $tool->use($n);
    $table->add('row');
    my @widest = $table->widest($n % 3);
    die if @widest != 2 || $widest[1][0] != 3;
    $table->chained;
    $table->changes($changed);
    my ($list) = $table->context;
    my $scalar = $table->context;
    die if "$list $scalar" ne 'list scalar';
    my @two = (1, 2);
    die if Table::pairs(@two, 3) != 5;
    temporary(Tool->new("text $n"));
    eval { Tool->new('')->fails; 1 } and die;
    die $@ if $@ ne "no\n";
    my $line = __LINE__ + 1;
    my $seen = Tool::seen();
    die $seen if $seen ne "main $line Tool::seen ";
    die if outer() !~ /main::outer$/;
}
die if $changed != 300;
my @sorted = do { package Table; sort by_number 3, 1, 2 };
die if "@sorted" ne '1 2 3';
@sorted = sort Table::by_argument 3, 1, 2;
die if "@sorted" ne '1 2 3';
die if List::Util::first(\&main::odd, 2, 4, 5) != 5;
die if !&main::odd;
sub odd { return $_ % 2 }
if (my $pid = fork) { waitpid $pid, 0 } else { Tool->new('')->use(1) for 1 .. 7 }
exit 0;
`

// As of Python; a subroutine finds its callers, its context and its arguments themselves,
// also where Perl cannot leave it for another; and a child that is forked counts its own calls.
func TestPerl(t *testing.T) {
	got, file := run(t, profile.KindPerl, "perl", "p.pl", perlProgram, nil,
		"Tool::new", "Tool::use", "Tool::never", "Tool::fails", "Tool::seen", "Table::add", "Table::widest", "Table::chained", "Table::changes",
		"Table::context", "Table::pairs", "Table::by_number", "Table::by_argument", "main::temporary", "main::odd")
	if len(got.NotCounted) != 1 { // by_argument
		t.Errorf("%v", got.NotCounted)
	}
	got.NotCounted = nil
	held(t, got, file,
		profile.FunctionCalls{Name: "Tool::new", Count: 907, Looked: 900, Different: 302, Repeated: 598, Same: 598, Results: 302, Cyclic: 5},
		profile.FunctionCalls{Name: "Tool::use", Count: 307, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "Tool::never"},
		profile.FunctionCalls{Name: "Tool::fails", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "Tool::seen", Count: 600, Looked: 600, Different: 1, Repeated: 599, Same: 299, Results: 2, Cyclic: 598},
		profile.FunctionCalls{Name: "Table::add", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "Table::widest", Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		profile.FunctionCalls{Name: "Table::chained", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "Table::changes", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "Table::context", Count: 600, Looked: 600, Different: 1, Repeated: 599, Same: 299, Results: 2, Cyclic: 598},
		profile.FunctionCalls{Name: "Table::pairs", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "Table::by_number", Count: 3},
		profile.FunctionCalls{Name: "main::odd", Count: 4},
		profile.FunctionCalls{Name: "main::temporary", Count: 300, Looked: 300, Different: 300, Nothing: 300})
}

// A module is found also where the program puts a directory in front of all others, and what is
// imported from it is counted; the module has its lines, its name and its data.
func TestPerlModule(t *testing.T) {
	files := map[string]string{
		"p.pl":   "use FindBin;\nuse lib $FindBin::Bin;\nuse Own qw(twice);\nmy @two = map { scalar twice($_ % 3) } 1 .. 30;\nmy @data = <Own::DATA>;\ndie \"@data\" if @data != 2 || Own::where() ne \"$FindBin::Bin/Own.pm 5\" || $INC{'Own.pm'} ne \"$FindBin::Bin/Own.pm\";\n",
		"Own.pm": "package Own;\nuse Exporter 'import';\nour @EXPORT_OK = ('twice');\nsub twice { return $_[0] * 2 }\nsub where { return __FILE__ . ' ' . __LINE__ }\n1;\n__DATA__\none\ntwo\n",
	}
	got, file := runIn(t, profile.KindPerl, "perl", files, "Own.pm", "p.pl", nil, "Own::twice", "Own::where")
	held(t, got, file,
		profile.FunctionCalls{Name: "Own::twice", Count: 30, Looked: 30, Different: 3, Repeated: 27, Same: 27, Results: 3, Plain: 30, Cyclic: 24},
		profile.FunctionCalls{Name: "Own::where", Count: 1, Looked: 1, Different: 1, Results: 1})
}

const perlTimed = `
sub late { my $n = shift; select undef, undef, undef, 0.2 if $n == 7 && $main::at > 300; return $n }
sub itself { my $n = shift; return $n ? itself($n - 1) : 0 }
for my $n (0 .. 399) { our $at = $n; my $x = late($n % 300); $x = itself(3) }
`

// The time of a call counts where the number of the call belongs.
func TestPerlTimes(t *testing.T) {
	got, _ := run(t, profile.KindPerl, "perl", "p.pl", perlTimed, nil, "main::late", "main::itself")
	timed(t, got, "main::late", "main::itself")
}
