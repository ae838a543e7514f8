// Package receive takes OpenTelemetry profiles from the network, over gRPC and
// HTTP.
//
// It owns the two protocols' servers: their limits, their statuses, and the order
// in which a request is judged before it is believed. It takes listeners and a
// Handler, and gives the handler one profile.Profile a request. It must never
// decide what becomes of a profile.
//
// Hostile input. A request occupies one of a few slots before its first byte is
// read, has a time limit, a size limit before and after decompression, and, before
// it is parsed, a bound on the memory that its parsed form may take (bounds.go for
// protobuf, text.go for JSON). What is in use is therefore at most slots × (message +
// parsed form), however many clients there are; the process may hold twice that
// before the runtime collects, unless it sets a memory limit. Few bytes may name a
// long stack often: the frames of all samples together are bounded, too. Whoever asks
// for more is told with the protocol's own status:
//
//	malformed                INVALID_ARGUMENT     400
//	too large                RESOURCE_EXHAUSTED   413
//	no slot in time          UNAVAILABLE          503   with when to come again
//	the handler refuses      INVALID_ARGUMENT     400
//	the handler failed       UNAVAILABLE          503   with when to come again
//	not finished in time     DEADLINE_EXCEEDED    408
//
// Versions. The protocol is in development. A sender that names another version than
// ours is refused; one that names none, when a field of its request is not in ours:
// fields had other numbers before versions were named.
//
// Protocol: https://opentelemetry.io/docs/specs/otlp/.
package receive
