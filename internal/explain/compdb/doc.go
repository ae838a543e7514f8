// Package compdb reads compile_commands.json and turns every entry into a
// command line that clang's front end takes, also where it was written for gcc.
//
// It owns the reading of the database, of response files, and the table of
// flags that clang does not know. It takes a build directory or one command
// line and gives Units with notes on what was changed. It runs nothing;
// of this module it imports shellwords only.
package compdb
