// Package gate writes what a check says of a change in the forms that code hosts read: a
// comment in Markdown, SARIF, GitLab's code quality report and JUnit.
//
// It owns the forms, their limits and what of a result goes into them. It takes a
// check.Result and gives text. It must never run, judge or leave out by what is known.
package gate
