// Package profile is the model that every other package speaks: which stacks
// were seen, how often, and what their frames are called.
//
// It owns the columnar, interned form of one profile and the Builder that
// makes it. It takes frames, stacks and samples through the Builder and gives
// an immutable Profile. It must never import another package of this module,
// read a file or know a file format.
//
// Shape. Mappings, functions, locations, stacks and label sets are tables; a
// sample is a row of (stack, label set, time, count, value). Everything refers
// to everything else by a small integer, index 0 of the mapping, function and
// label-set tables is the unknown/empty one, and a stack is stored once however
// many samples share it. Stacks are leaf first.
//
// Units. Count is the number of times the sampler fired (it decides the
// sampling error); Value is the weight in ValueType.Unit (it decides shares).
// For a profile that carries only one number per sample the two are equal.
//
// Addresses. Location.Address lies inside [Mapping.Start, Mapping.Limit) and is
// already an instruction address: whoever reads return addresses subtracts one
// before it gets here. The file offset is Address - Start + Offset. Where many
// processes map the same binary at different bases, the ingester rebases all of
// them onto one mapping, so that a binary appears once.
package profile
