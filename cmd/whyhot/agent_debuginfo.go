package main

import (
	"fmt"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/agent"
	"whyhot/internal/fleet/debuginfo/upload"
	"whyhot/internal/fleet/send"
)

// uploader makes what uploads debug information; nil where none is to be.
func (f *agentFlags) uploader(log *agentLog) (agent.DebugInfo, error) {
	if f.debugInfo == debugInfoOff {
		return nil, nil //nolint:nilnil // what the flag asks for
	}
	flag, to := "--to", f.otlp.endpoint
	if f.debugInfoTo != "" {
		flag, to = "--debuginfo-to", f.debugInfoTo
	}
	options, err := f.otlp.options(to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if options.Endpoint.HTTP {
		if f.debugInfoTo != "" {
			return nil, fmt.Errorf("--debuginfo-to %s: debug information is uploaded over gRPC: give HOST:PORT", to)
		}
		if f.debugInfoAsked {
			log.line("no debug information is uploaded: it needs gRPC; give a server with --debuginfo-to HOST:PORT")
		}
		return nil, nil //nolint:nilnil // profiles alone
	}
	u, err := upload.New(upload.Options{
		Kind: extract.Kind(f.debugInfo), Server: options, Backoff: send.NewBackoff(send.FirstPause, send.LongestPause), Log: log.line,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return u, nil
}
