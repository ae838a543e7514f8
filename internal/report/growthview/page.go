package growthview

import (
	"io"

	"whyhot/internal/explain/growth"
)

func Page(w io.Writer, r *growth.Result) error { return nil }
func Chart(w io.Writer, r *growth.Result) error { return nil }
