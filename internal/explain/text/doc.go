// Package text reads the source of a program as people lay it out: which statement a line is
// of, which loops and which function are around it, what it calls, and which names change
// from one pass of a loop to the next.
//
// It owns what is common to programming languages as far as reading a hot line needs it. It
// takes the lines of a file and gives places in them. It must never import a judge, read a
// file or print. It is no parser: where a text is not clear it says that a name changes, or
// that there is no loop, so that whoever asks says too little rather than something wrong. What
// another thread, an alias or a callback changes it does not see.
//
// How. Comments and what is between quotes are blanked. A line is inside of those lines above
// it that are indented less, each less than the one below: formatters and people indent by
// blocks in every language. Of those lines, words tell the loops ("for", "while", ".each do")
// and the functions ("def", "func", a name with parentheses before a brace).
//
// Example. In
//
//	for order in orders:
//	    if order.open:
//	        schema = compile(SCHEMA)
//
// the last line is inside of the loop of the first, compile is called with SCHEMA, and nothing
// in the loop changes that.
package text
