// Package explain says why a program is hot: it holds a profile against the
// catalogue and against the program's source, and gives one ranked list of
// findings.
//
// It owns the use cases, not the knowledge: Explain (profile → findings), Scan
// (build → findings), Remarks (profile and compilers' reports → findings), Loops (a line → its loop in all worlds), Find (id → finding)
// and Patch (finding or line → patch). It decides which trials lift a finding,
// when general advice is worth showing, and which command comes next. It takes
// Requests, which are data, and gives a finding.Report or a fix.Proposal. Progress
// goes to a function in the request.
//
// It must never read a profile from a file (package fetch does), know of flags or
// of a terminal, print, record, or run the user's program.
//
// What judges share is in judge, and whether two of their findings are one is decided in
// merge. The rooms behind it: rule and catalog (knowledge about libraries), binfacts
// (what is true of binaries), source (everything about source), fix (patches),
// analyzer and compdb (the analyser's process and what it is given).
package explain
