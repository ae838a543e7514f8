// Package send delivers OpenTelemetry profiles to a server, over gRPC or HTTP.
//
// It owns the client: endpoints, TLS, compression, what an answer means (done,
// partly refused, refused for good, to be tried again and when) and the cutting
// of a profile into requests of bounded size. It takes a profile.Profile or the
// bytes of a request and gives errors that say whether another attempt makes
// sense. It must never keep anything on disk, nor decide for how long to try:
// that is its callers' business, for which Backoff counts the pauses.
//
// Which answers may be tried again: https://opentelemetry.io/docs/specs/otlp/,
// "Failures" of OTLP/gRPC and OTLP/HTTP.
package send
