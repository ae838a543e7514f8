// Package wire is the protocol by which debug information is uploaded:
// parca.debuginfo.v1alpha1.DebuginfoService, which Parca and its relatives speak.
//
// It owns the protocol's .proto file and what is generated from it: messages, client
// and service. It takes and gives messages. It must never import anything of ours.
//
// A client asks whether a file is wanted (ShouldInitiateUpload), announces it
// (InitiateUpload) and is told to stream it (Upload) or to PUT it to a URL, and says
// when that is done (MarkUploadFinished).
package wire

//go:generate go -C ../../../../tools/protobuf run . -root ../.. internal/fleet/debuginfo/wire/debuginfo.proto

// ReasonInProgress is the reason by which clients of the protocol know that somebody
// else is uploading the file, and that they may ask again later.
const ReasonInProgress = "A previous upload is still in-progress and not stale yet (only stale uploads can be retried)."
