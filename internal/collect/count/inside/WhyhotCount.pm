package WhyhotCount;

# Counts calls of the subroutines that whyhot count names, their different arguments, and
# whether the same arguments give the same result.
#
# Each of them is replaced by one that goes to DB::sub, which calls it. Perl leaves the frame
# of DB::sub out of what caller reports, for its debugger; so the subroutine finds the callers
# that it has without this. No debugger runs: $^P stays 0.

use strict;
no warnings;
no overloading;    # an object is not asked for what it is
use B ();
use Scalar::Util ();
use Time::HiRes ();

my $MOST = 1 << 16;    # different arguments of a function
my $LONGEST = 64;      # items of a container that are looked at: half of them the last
my $ENOUGH = 1;        # s of looking at a function, before fewer of its calls are looked at

my ($names, $results) = @ENV{qw(WHYHOT_COUNT_FUNCTIONS WHYHOT_COUNT_RESULTS)};
my (@tallies, %waiting, %files);    # waiting: tallies that no subroutine was found for, by name
my $process = $$;
my $now = \&Time::HiRes::time;      # a program may have a clock of its own in its tests
my $SAVE = 1;                       # s between two times that the counts are written
my $saved = $now->();
my $digest = eval { local $SIG{__DIE__}; require Digest::MD5; \&Digest::MD5::md5 } || sub { $_[0] };
my $rename = eval { local $SIG{__DIE__}; require Sub::Util; \&Sub::Util::set_subname };    # since Perl 5.22

my $current;                        # what DB::sub is called for
my %known;                          # address: a weak reference, its token
my $token = 0;
my $wasted = 0;                     # s in here: the calls that are counted do not take that

# What tells an object from all others, also from one that later has its address.
sub _identity {
    my $address = Scalar::Util::refaddr($_[0]);
    my $known = $known{$address};
    return $known->[1] if $known && defined $known->[0];
    %known = () if keys %known > $MOST;
    my $entry = $known{$address} = [ $_[0], ++$token ];
    Scalar::Util::weaken($entry->[0]);
    return $token;
}

# A text of what a value is made of, where it is no object; else of which it is, or, for
# results, of what is inside. It works with copies, since a number that is taken as a text
# becomes one; and it does not list a hash that the program walks through.
sub _text {
    my ($value, $depth, $inside) = @_;
    return 'u' unless defined $value;
    my $type = Scalar::Util::reftype($value);
    if (!defined $type) {
        my $wide = utf8::is_utf8($value);
        $value = "$value";
        utf8::encode($value) if $wide;
        return 's' . length($value) . ":$value";
    }
    my $class = Scalar::Util::blessed($value);
    if (defined $class && $class eq 'Regexp') {
        my ($pattern, $flags) = re::regexp_pattern($value);
        return defined $pattern ? "r$flags/" . _text($pattern) : 'r' . _identity($value);
    }
    if ($depth > 0 && (!defined $class || $inside)) {
        my $begin = defined $class ? "o$class" : '';
        if ($type eq 'ARRAY' && !tied @$value) {
            my $n = @$value;
            my @which = $n <= $LONGEST ? (0 .. $n - 1) : (0 .. $LONGEST / 2 - 1, $n - $LONGEST / 2 .. $n - 1);
            return "${begin}a$n\[" . join(',', map { exists $value->[$_] ? _text($value->[$_], $depth - 1, $inside) : 'u' } @which) . ']';
        }
        if ($type eq 'HASH' && !tied %$value && B::svref_2object($value)->RITER == -1) {
            my @keys = sort keys %$value;
            my $n = @keys;
            splice @keys, $LONGEST / 2, $n - $LONGEST if $n > $LONGEST;
            return "${begin}h$n\{" . join(',', map { _text($_) . '=' . _text($value->{$_}, $depth - 1, $inside) } @keys) . '}';
        }
        if (($type eq 'SCALAR' || $type eq 'REF') && !tied $$value) {
            return "${begin}\\" . _text($$value, $depth - 1, $inside);
        }
    }
    return 'i' . _identity($value);
}

# A number, or what a comparison gives: 1 or an empty text that is a number, too.
sub _is_number {
    my $flags = B::svref_2object(\$_[0])->FLAGS;
    return !ref $_[0] && $flags & (B::SVf_IOK() | B::SVf_NOK());
}

sub _clear {
    my $t = shift;
    @$t{qw(count looked repeated same nothing plain cyclic first_time again_time spent active recursive)} = (0) x 12;    # times: ns of the calls that are looked at, with new arguments and with known ones
    $t->{stride} = 1;
    $t->{first} = {};    # digest of arguments: digest of the first result ('' for none), number of the last call, distance to the one before
    $t->{times} = [ (0) x 64 ];    # ns of the calls from 2**i on, up to those from 2**(i+1) on
    $t->{results} = {};
}

sub _plain_text {
    my $text = shift;
    $text =~ s/\\(?:u([0-9a-fA-F]{4})|(.))/defined $1 ? do { my $c = chr hex $1; utf8::encode($c); $c } : $2 eq 'n' ? "\n" : $2 eq 't' ? "\t" : $2 eq 'r' ? "\r" : $2/ge;
    return $text;
}

# The texts stay as JSON has them, for when they are written.
sub _read {
    open my $in, '<', $names or return;
    binmode $in;
    local $/;
    my $text = <$in>;
    close $in;
    while ($text =~ /\{"language":"perl","name":"((?:[^"\\]|\\.)*)","file":"((?:[^"\\]|\\.)*)"(?:,"line":(\d+))?\}/g) {
        my $t = { name_text => $1, file_text => $2, line => $3 || 0 };
        my $file = _plain_text($2);
        $t->{name} = _plain_text($t->{name_text});
        _clear($t);
        push @tallies, $t;
        next if $t->{name} !~ /\A(?:\w+::)+\w+\z/a || $t->{name} =~ /::(?:__ANON__|AUTOLOAD|DESTROY|BEGIN|END|INIT|CHECK|UNITCHECK)\z/;
        $waiting{ $t->{name} } = $t;
        $files{$file} = 1;
    }
}

# Those that can be replaced: written in Perl, with a body, giving no lvalue. What orders for
# sort and has arguments cannot go to another subroutine.
sub _replaceable {
    my $code = shift;
    my $cv = B::svref_2object($code);
    my $flags = $cv->CvFLAGS;
    return 0 if $cv->XSUB || !${ $cv->ROOT } || $flags & (B::CVf_LVALUE() | B::CVf_CONST());
    my $prototype = prototype $code;
    return !(defined $prototype && $prototype eq '$$');
}

# Replaces what is there by now.
sub look {
    return unless %waiting;
    local ($@, $!, $SIG{__DIE__});
    no strict 'refs';
    for my $name (keys %waiting) {
        my ($package, $short) = $name =~ /\A(.*)::(\w+)\z/;
        # A look must not make a package that the program does not have.
        my $stash = \%main::;
        for my $part (split /::/, $package) {
            $stash = exists $stash->{"${part}::"} && ref \$stash->{"${part}::"} eq 'GLOB' ? *{ $stash->{"${part}::"} }{HASH} : undef;
            last unless $stash;
        }
        next unless $stash && exists $stash->{$short} && defined &$name;
        my $t = delete $waiting{$name};
        my $code = \&$name;
        next unless eval { _replaceable($code) };
        my $prototype = prototype $code;
        my $replaced = sub {
            # Without arguments of its own: sort or first of List::Util called it, from where
            # Perl dies when it goes to another subroutine; or it was called as &name.
            if (!(caller 0)[4]) { $t->{count}++; return &{ $t->{code} } }
            $current = $t;
            goto &DB::sub;
        };
        &Scalar::Util::set_prototype($replaced, $prototype) if defined $prototype;
        $rename->($name, $replaced) if $rename;
        $t->{code} = $code;
        *{$name} = $replaced;
    }
}

package DB;

sub sub {
    my $t = $current;
    if ($$ != $process) {    # a child counts its own calls only
        $process = $$;
        WhyhotCount::_clear($_) for @tallies;
    }
    goto &{ $t->{code} } if ++$t->{count} % $t->{stride} || keys %{ $t->{first} } >= $MOST;
    my ($list, $key, @passed) = wantarray;
    {
        local ($@, $!);
        my $begin = $now->();
        # An argument that is tied gives what it gives only when it is asked.
        $key = $digest->(join ',', map { tied $_ ? 't' : WhyhotCount::_text($_, 2) } @_);
        @passed = map { ref($_) && !tied($_) ? Scalar::Util::refaddr($_) : () } @_;
        $t->{looked}++;
        $t->{nothing}++;    # as long as it gives nothing: it may be left by an exception
        if (my $known = $t->{first}{$key}) {
            my $distance = $t->{looked} - $known->[1];
            $t->{repeated}++;
            $t->{same}++ if $known->[0] eq '';
            $t->{cyclic}++ if $distance == $known->[2] && 2 * $distance >= keys %{ $t->{first} };
            @$known[1, 2] = ($t->{looked}, $distance);
        } else {
            $t->{first}{$key} = [ '', $t->{looked}, 0 ];
            push @passed, 'new';
        }
        my $spent = $now->() - $begin;
        $t->{spent} += $spent;
        $wasted += $spent;
    }
    local $t->{active} = $t->{active} + 1;
    $t->{recursive} = 1 if $t->{active} > 1;
    my ($number, $from) = ($t->{count}, $now->() - $wasted);
    my $new = @passed && $passed[-1] eq 'new' ? pop @passed : 0;
    if ($list) {
        my @given = &{ $t->{code} };
        WhyhotCount::gave($t, $key, $new, \@passed, \@given, $number, $from);
        return @given;
    }
    if (defined $list) {
        my $given = &{ $t->{code} };
        WhyhotCount::gave($t, $key, $new, \@passed, [$given], $number, $from);
        return $given;
    }
    &{ $t->{code} };
    WhyhotCount::took($t, $number, $now->() - $wasted - $from);
    return;
}

package WhyhotCount;

# How many bits a number has.
sub _bits {
    my ($number, $bits) = (shift, 0);
    $bits++, $number >>= 1 while $number;
    return $bits;
}

sub took {
    my ($t, $number, $seconds) = @_;
    $t->{times}[_bits($number) - 1] += int(1e9 * $seconds * $t->{stride}) if $seconds > 0;
}


sub gave {
    my ($t, $key, $new, $passed, $given, $number, $from) = @_;
    local ($@, $!);
    my $begin = $now->();
    took($t, $number, $begin - $wasted - $from);
    my $took = $begin - $wasted - $from;
    $t->{ $new ? "first_time" : "again_time" } += $took > 0 ? int(1e9 * $took) : 0;
    my $none = !@$given;
    if (@$given == 1) {
        my $type = Scalar::Util::reftype($given->[0]);
        my $address = Scalar::Util::refaddr($given->[0]);
        $none = !defined $given->[0] || (defined $type && ($type eq 'GLOB' || $type eq 'IO' || grep { $_ == $address } @$passed));
    }
    if (!$none && exists $t->{first}{$key}) {
        my $n = @$given;
        my @which = $n <= $LONGEST ? (0 .. $n - 1) : (0 .. $LONGEST / 2 - 1, $n - $LONGEST / 2 .. $n - 1);
        my $result = $digest->(join ',', $n, map { _text($_, 3, 1) } @$given[@which]);
        $t->{nothing}--;
        $t->{plain}++ if $n == 1 && _is_number($given->[0]);
        $t->{results}{$result} = 1 if keys %{ $t->{results} } < $MOST;
        if ($new) {
            $t->{first}{$key}[0] = $result;
        } else {
            $t->{same}-- if $t->{first}{$key}[0] eq '';
            $t->{same}++ if $t->{first}{$key}[0] eq $result;
        }
    }
    write_counts() if $begin - $saved > $SAVE;
    my $spent = $now->() - $begin;
    $t->{spent} += $spent;
    $wasted += $spent;
    $t->{stride} *= 2 if $t->{spent} > $ENOUGH * _bits($t->{stride});
}

# Perl asks this for each file that it looks for, and takes from it the ones that are wanted:
# with a line in front that has the counter look when the file has been compiled, which is
# before anything can be imported from it.
package WhyhotCount::Files;

use overload '""' => sub { '' }, fallback => 1;

sub WhyhotCount::Files::INC {
    my ($self, $file) = @_;
    WhyhotCount::look();
    local ($@, $!);
    return if $file =~ m{\A/};
    for my $dir (@INC) {
        next if Scalar::Util::blessed($dir) && $dir == $self;
        return if ref $dir;    # another one may have it
        my $path = "$dir/$file";
        next unless -f $path;
        return if !$files{$path} || $path =~ /["\n]/;
        open my $in, '<', $path or return;
        $INC{$file} = $path;
        my $line = "UNITCHECK { WhyhotCount::look() }\n#line 1 \"$path\"\n";
        return (\$line, $in);
    }
    return;
}

package WhyhotCount;

# Also once a second, for a process that is killed.
sub write_counts {
    local ($@, $!, $?);
    $saved = $now->();
    _clear($_), $process = $$ for $$ != $process ? @tallies : ();
    my @functions;
    for my $t (@tallies) {
        next unless $t->{code};
        my $different = keys %{ $t->{first} };
        $different = 0 if $different >= $MOST;
        push @functions, qq({"name":"$t->{name_text}","file":"$t->{file_text}","line":$t->{line},"different":$different,"results":)
            . keys(%{ $t->{results} }) . join('', map { qq(,"$_":$t->{$_}) } qw(count looked repeated same nothing plain cyclic first_time again_time)) . ',"times":[' . ($t->{recursive} ? '' : join ',', @{ $t->{times} }[0 .. _bits($t->{count}) - 1]) . ']}';
    }
    open my $out, '>', "$results/$$.json.part" or return;
    binmode $out;
    print $out '{"language":"perl","way":"DB::sub","functions":[' . join(',', @functions) . ']}';
    close $out;
    rename "$results/$$.json.part", "$results/$$.json";
}

if (defined $names && defined $results && !$^P) {
    $^P = 0x200;    # has perl know which subroutine is DB::sub
    $^P = 0;
    _read();
    my $files = bless {}, 'WhyhotCount::Files';
    my ($here) = __FILE__ =~ m{\A(.*)/};
    @INC = ($files, grep { ref $_ || $_ ne $here } @INC);    # a message lists what is in it
    require lib;
    # What is put in front of the list by lib has to be asked after the counter.
    my $import = \&lib::import;
    *lib::import = sub {
        &$import;
        my @others = grep { !(Scalar::Util::blessed($_) && ref $_ eq 'WhyhotCount::Files') } @INC;
        @INC = ($files, @others);
        return;
    };
    eval 'INIT { look() } END { write_counts() }';
}

1;
