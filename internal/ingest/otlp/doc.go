// Package otlp converts OpenTelemetry profiles (signal "profiles", version
// v1development of the protocol) to and from our model.
//
// It owns both directions, the detection of files in the format, and the names of
// OpenTelemetry's attributes. It takes bytes (protobuf or JSON) or pdata values
// and gives a profile.Profile, and the other way round. It must never open a
// file, listen or send; of this module it imports internal/profile and its
// sub-packages only. Nothing else may import pdata.
//
// Hostile input. Every index is checked against its table before it is followed;
// what leads nowhere is an error that names the table and the row. Memory is
// proportional to the input: stacks and locations are converted once, and only
// those that samples use.
//
// Numbers. A sample without values counts its timestamps; with values of a
// sample type whose unit is "count" it counts those. The weight is count × period
// where the period is given, else the values' sum. Samples are aggregated unless
// Options.KeepTime.
//
// Addresses are kept as they are: the protocol says that they are instruction
// addresses in the space of their mapping.
//
// Protocol: https://github.com/open-telemetry/opentelemetry-proto, directory
// profiles; attributes: https://opentelemetry.io/docs/specs/semconv/registry/.
package otlp
