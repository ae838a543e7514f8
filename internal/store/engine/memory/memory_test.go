package memory_test

import (
	"testing"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/enginetest"
	"whyhot/internal/store/engine/memory"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Backend {
		e := memory.New()
		return enginetest.Backend{Open: func() (engine.Engine, error) { return e, nil }, Shared: true}
	})
}
