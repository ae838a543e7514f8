# Folds the output of perf script -F comm,pid,tid,ip,sym,dso (or without sym)
# into one line a stack, root first, with the number of samples.
function flush_stack() {
	if (head != "") count[head stack]++
	head = ""; stack = ""
}
/^$/ { flush_stack(); next }
/^[^ \t]/ || head == "" {
	flush_stack()
	head = $1
	next
}
{
	name = $2
	if (name ~ /^\(/ || name == "") name = $1
	sub(/\+0x[0-9a-f]+$/, "", name)
	stack = ";" name stack
}
END { flush_stack(); for (s in count) print s, count[s] }
