// Package passes says what a hot line of a program does again on each pass of a loop,
// although it need not: a call that gives the same each time, a collection that is searched
// from its start, and a question that is asked until something is there.
//
// It owns the reading of hot lines for that. It takes a profile and the text of the source
// files that it names, and gives findings. It must never import another judge, read a file or
// print.
//
// How. Of each line of the program's own code in a stack, whether it is the innermost or not,
// it knows how much of the CPU is in what the line calls. Of lines with a tenth or more, the
// text is read (package text): the loops around the line, or around the line that called its
// function, and which names change in them. A call whose arguments do not change from pass to
// pass is made again for nothing, whatever it is called and in whatever language: no table
// says what is dear. What does something besides giving a value (a name that says so, a body
// that writes to what is not its own) is left out, and so is a result that nobody takes.
//
// Example.
//
//	for order in orders:
//	    rates = load_rates(RATES_FILE)      # 61% of the CPU below this line
//	    total += order.amount * rates[order.currency]
//
// A rule is one file: its id, what finds its spots, and what makes a finding of one; a test with
// texts in which it finds and others that look alike; a row of the table rules; and a page in
// docs/rules.
package passes
