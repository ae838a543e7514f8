package analyzer

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// Recorded is a remark of a compiler's record; its Where has one place, or none.
type Recorded struct {
	Remark

	Callee string `json:"callee"` // linkage name, "" where the remark is of no call
}

type recordReply struct {
	Error   string     `json:"error"`
	Remarks []Recorded `json:"remarks"`
}

// Record has the analyser read a record of optimisation in LLVM's bitstream. The file
// is somebody else's: what is wrong in it costs the process, and is an error here.
func Record(ctx context.Context, binary, file string) ([]Recorded, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	l := &lane{opts: Options{Binary: binary, Timeout: recordTimeout}}
	defer l.close()
	r, err := l.ask(ctx, Request{Record: path})
	switch {
	case err != nil:
		return nil, err
	case r.Record == nil && len(r.Errors) > 0:
		return nil, errOld // of a request without arguments
	case r.Record == nil:
		return nil, errors.New("the analyser gave no answer about a record")
	case r.Record.Error != "":
		return nil, errors.New(r.Record.Error)
	}
	return r.Record.Remarks, nil
}

const recordTimeout = time.Minute
