package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// Bounds of a backup: how much of it a client has to take, or to send, in how long.
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

type restoredForm struct {
	Project string `json:"project"`
	Rows    int64  `json:"rows"`
}

// restore makes a new project of a backup.
func (s *Server) restore(ctx context.Context, r *request) (any, error) {
	name, err := r.projectOfPath()
	if err != nil {
		return nil, err
	}
	if !s.restoring.TryLock() {
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: "another backup is being restored", help: "Retry after a pause.", again: 10}
	}
	defer s.restoring.Unlock()
	control := http.NewResponseController(r.w)
	if err := control.SetWriteDeadline(time.Time{}); err != nil {
		return nil, err
	}
	var rows atomic.Int64
	body := &patient{body: r.Body, control: control}
	err = s.o.Projects.Restore(ctx, name, body, rows.Store)
	switch {
	case body.failed != nil:
		s.o.Log.WarnContext(ctx, "a backup stopped arriving", "project", name, "error", body.failed)
		return nil, &problem{status: http.StatusRequestTimeout, kind: timedOut, detail: "the backup stopped arriving", help: "Send it again; nothing of it is kept."}
	case errors.Is(err, project.ErrThere):
		return nil, &problem{
			status: http.StatusConflict, kind: "exists", detail: "project " + name + ": " + project.ErrThere.Error(),
			help: "Restore it as a project of another name, or delete that one first; somebody may have sent to it meanwhile.",
		}
	case errors.Is(err, project.ErrElsewhere):
		return nil, &problem{
			status: http.StatusConflict, kind: "elsewhere", detail: err.Error(),
			help: "Stop the server and run whyhot-server store import, or restore a backup that ClickHouse made.",
		}
	case errors.Is(err, store.ErrExport):
		return nil, &problem{status: http.StatusBadRequest, kind: "not_a_backup", detail: "the body is no whole backup", help: "Send the file that whyhot store backup or whyhot-server store export wrote."}
	case errors.Is(err, project.ErrUsed):
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: err.Error(), help: "Retry after a pause.", again: 10}
	case err != nil:
		return nil, err
	}
	s.o.Log.InfoContext(ctx, "a project was restored by a request", "project", name, "who", r.grant.Who(), "rows", rows.Load())
	return restoredForm{name, rows.Load()}, nil
}

// patient reads a body of any length whose parts come in time.
type patient struct {
	body    io.Reader
	control *http.ResponseController
	failed  error
}

func (p *patient) Read(to []byte) (int, error) {
	if err := p.control.SetReadDeadline(time.Now().Add(backupTime)); err != nil {
		return 0, err
	}
	n, err := p.body.Read(to)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
	}
	return n, err
}
