package message

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"whyhot/internal/server/watch"
)

// Kinds of documents.
const (
	kindTold     = "message-told"
	kindOut      = "message-out"
	kindReceiver = "message-receiver"
)

// told is what a receiver knows of a finding of a service.
type told struct {
	Receiver string      `json:"receiver"`
	Service  string      `json:"service"`
	Finding  string      `json:"finding"`
	Point    watch.Point `json:"point"`
}

// out is a message in the outbox.
type out struct {
	Receiver string    `json:"receiver"`
	Message  Message   `json:"message"`
	Created  time.Time `json:"created"`
	Attempts int       `json:"attempts,omitempty"`
	Error    string    `json:"error,omitempty"` // of the last attempt

	key string
}

// known is a receiver that a project has met.
type known struct {
	Receiver string    `json:"receiver"`
	Since    time.Time `json:"since"`
	Digest   time.Time `json:"digest,omitzero"` // when the last one was due
}

// toldKey has no line break in any part but where it puts one: receivers and IDs have
// none, and the service comes last.
func toldKey(receiver, finding, service string) string {
	return receiver + "\n" + finding + "\n" + service
}

// messageID is the same for the same reason to write: when a look is done again after a
// crash, it makes the same message again.
func messageID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return "msg_" + hex.EncodeToString(h.Sum(nil))[:24]
}
