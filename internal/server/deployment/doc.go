// Package deployment compares the newest version of a service with the one before it: does
// it take more CPU, and in which functions?
//
// It owns the file that says how much work a service did, and the comparison. It takes what
// a project's store holds and numbers of Prometheus, and gives a finding for each
// deployment that made a service slower. It must never keep anything: internal/server/watch
// does.
//
// The CPU time of a service rises with its load, so a version is compared by CPU time for
// each request where the file says how to count requests. Both versions' times are cut into
// parts, and how much the parts differ among themselves is the error of the comparison:
// sampling error alone knows nothing of the hour of the day. Without such a number, versions
// are compared for each second of CPU: functions by their shares.
package deployment
