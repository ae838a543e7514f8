package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Bounds of a backup: how much of it a client has to take in how long.
const (
	backupPiece = 1 << 20
	backupTime  = time.Minute
)

// backup sends all that a project holds. Its making takes as long as it takes, and its client
// is told at once that it comes.
func (s *Server) backup(ctx context.Context, r *request) (any, error) {
	if !s.backingUp.TryLock() {
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: "another backup is being made", help: "Retry after a pause.", again: 10}
	}
	defer s.backingUp.Unlock()
	control := http.NewResponseController(r.w)
	if err := control.SetWriteDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := r.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "no-store")
	r.w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return nil, err
	}
	f, err := r.project.Backup(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	for {
		if err := control.SetWriteDeadline(time.Now().Add(backupTime)); err != nil {
			return nil, err
		}
		_, err := io.CopyN(r.w, f, backupPiece)
		if errors.Is(err, io.EOF) {
			return done{}, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
