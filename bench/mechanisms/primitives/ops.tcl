# OP LENGTH ROUNDS: an operation on a container of that length, once a round.
lassign $argv op length rounds
set items {}
for {set i 0} {$i < $length} {incr i} { lappend items [expr {$i * 3}] }
set text [string repeat x $length]
array set other {}

proc work {i} {
    global other
    set other([expr {$i % 64}]) $i
}
proc member {i} {
    global items
    return [lsearch -exact $items -$i] ;# WASTE member
}
proc within {i} {
    global items
    return [expr {"-$i" in $items}] ;# WASTE within
}
proc shift {i} {
    global items
    lappend items $i
    set items [lrange $items 1 end] ;# WASTE shift
    return 1
}
proc front {i} {
    global items length
    set copy [linsert $items 0 $i] ;# WASTE front
    return [llength $copy]
}
proc replace {i} {
    global items
    set copy [lreplace $items 0 0] ;# WASTE replace
    return [llength $copy]
}
proc concatenated {i} {
    global items
    return [llength [concat $items $i]] ;# WASTE concatenated
}
proc joined {i} {
    global text
    set grown "$text$i" ;# WASTE joined
    return [string length $grown]
}
proc rest {i} {
    global text
    return [string length [string range $text 1 end]] ;# WASTE rest
}
proc dup {i} {
    global items
    set copy $items
    lset copy 0 $i ;# WASTE dup
    return [lindex $copy 0]
}
proc sorted {i} {
    global items
    return [lindex [lsort -integer $items] 0] ;# WASTE sorted
}
proc shimmer {i} {
    global items
    return [string length "$items $i"] ;# WASTE shimmer
}
proc all {op rounds} {
    for {set i 0} {$i < $rounds} {incr i} {
        $op $i
        work $i
    }
}
all $op $rounds
