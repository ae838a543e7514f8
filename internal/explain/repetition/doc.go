// Package repetition says which lines of a program make something on each call that could
// be made once: a template, an expression, a client, a connection, a formatter.
//
// It owns the words by which functions that make tools are known, in any language, and the
// evidence that one is made repeatedly. It takes a profile and gives findings. It must
// never import another judge, read a file or print.
//
// How. Below the innermost line of the program's own code in a stack there is a function
// of a library whose name says that it makes a tool: a verb (compile, connect, a
// constructor) and a noun (template, client, validator). One such tool takes milliseconds.
// Where its making takes half a second of CPU, it was made many times. What may take
// seconds once (a model, an index) is told only where the samples have times and the
// making goes on for the whole run. The caller has to use what it makes: a program that
// only compiles templates does its job.
//
// Example. mail.py:12 calls Environment.from_string for each mail, which takes 4 s of 6 s;
// line 13 renders it.
package repetition
