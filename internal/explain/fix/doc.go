// Package fix writes the patch of a finding: a unified diff that was compiled
// before it is shown, or the reasons why there is none.
//
// It owns which kinds of fixes a rule has, the joining of the answers of several
// units, the check that the fixed source compiles and that its loops are better,
// the diff, and the careful writing of files. Fixes of source come from the
// analyser; fixes of build files (package link) from text. It takes places and
// units and gives Proposals. It must never build or run the user's program: a
// trial does.
package fix
