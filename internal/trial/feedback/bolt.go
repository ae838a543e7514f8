package feedback

import (
	"io"

	"whyhot/internal/trial/rebuild/bolt"
)

// writeBOLT writes samples as llvm-bolt -data reads them. Samples without branch records
// lay blocks out less well than an instrumented run does.
func writeBOLT(w io.Writer, samples map[uint64]int64, binary string, out *Summary) error {
	if err := bolt.CanRewrite(binary); err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	var err error
	out.Used, out.Functions, err = bolt.Encode(w, binary, samples)
	return err
}
