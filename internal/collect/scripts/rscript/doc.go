// Package rscript finds places in the text of a script of R.
//
// It owns what R itself does not keep of a script that it reads by --file: lines of functions
// are counted from the outermost expression that they are in, and what is in no function has
// no lines at all. It takes a text and gives lines of it. It must never read a file, or judge
// what a line costs.
package rscript
