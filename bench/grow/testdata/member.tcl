# Looks each name up in a list.
proc different {n} {
    set seen {}
    for {set i 0} {$i < $n} {incr i} {
        set name "name[expr {$i * 7919 % 1000003}]"
        if {[lsearch -exact $seen $name] < 0} { ;# GROWS
            lappend seen $name
        }
    }
    return [llength $seen]
}
puts [different [lindex $argv 0]]
