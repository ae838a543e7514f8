// Package userrule reads source rules of the user: Clang AST-matcher expressions
// with a message, a fix and fixtures, in YAML.
//
// It takes directories and gives rules for package analyzer and their reporting
// for package astfinding. Check runs a rule's own fixtures. It must never
// import rule, view or report.
package userrule
