// Package where is the small language in which samples are chosen by their labels:
//
//	service="checkout" and pod=~"web-.*" and not thread="gc"
//
// It owns the grammar, the messages about what does not follow it, and how a condition is
// judged. It takes text and a way to look a label up. It must never know where labels come
// from.
//
//	condition = all { "or" all }
//	all       = one { "and" one }
//	one       = "not" one | "(" condition ")" | key operator value
//	operator  = "=" | "!=" | "=~" | "!~"
//	value     = text in "…" or '…', with \ before a quote or \ | a word of letters, digits and _ . - / :
//
// A regular expression (RE2) must match all of the value, and a label that is not there
// is the empty text, as in the languages of Prometheus, Pyroscope and Parca. Keywords are
// in either case; a comma is "and".
package where
