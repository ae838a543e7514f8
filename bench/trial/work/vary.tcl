lassign $argv n wrong burn
for {set i 0} {$i < $burn * 50000} {incr i} {}
for {set i 0} {$i < $n} {incr i} { puts "[clock microseconds]: step $i gives [expr {$i * $i + ($i == 7 ? $wrong : 0)}]" }
