package store

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/store/columns"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/journal"
)

// An export is a zstd stream: a line with its version, then blocks of rows. A block is
// its length, the table's name as a column of one text, and the table's columns (see
// package columns). The last one has no table, and holds the number of rows and the
// checksum of all that is before it.
const exportLine = "whyhot store export 1\n"

// exportRows is about how many rows a block has.
const exportRows = 1 << 17

// maxBlock bounds a block that is read.
const maxBlock = 1 << 30

// Backup is an export in a temporary file, which goes when it is closed: whoever reads it
// slowly holds up nobody.
func (s *Store) Backup(ctx context.Context) (*os.File, error) {
	f, err := os.CreateTemp(s.dir, "backup-")
	if err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = s.Export(ctx, f, nil)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("backup: %w", err), f.Close())
	}
	return f, nil
}

// Export writes all rows of the engine, for Import, as they are between two commits: what was
// taken before is in it, and of what comes meanwhile nothing. Segments wait for it in the
// journal; questions do not.
func (s *Store) Export(ctx context.Context, to io.Writer, progress func(rows int64)) error {
	if err := s.Flush(ctx); err != nil {
		return err
	}
	s.ageing.mu.Lock() // all tables are to be of one dictionary
	defer s.ageing.mu.Unlock()
	s.applying.Lock() // and of one commit
	defer s.applying.Unlock()
	z, err := zstd.NewWriter(to)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	w := &exporter{w: bufio.NewWriterSize(z, 1<<20), sum: crc32.NewIEEE(), progress: progress}
	if _, err = w.w.WriteString(exportLine); err == nil {
		err = w.tables(ctx, &s.engine)
	}
	if err == nil {
		err = w.end()
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

type exporter struct {
	w        *bufio.Writer
	sum      hash.Hash32
	rows     int64
	progress func(int64)
}

func (w *exporter) tables(ctx context.Context, e engine.Engine) error {
	// The dictionary comes last, for one that another process has changed meanwhile.
	tables := engine.Tables()
	slices.SortStableFunc(tables, func(a, b *engine.Table) int { return cmp.Compare(order(a), order(b)) })
	for _, t := range tables {
		err := e.Scan(ctx, t, 0, math.MaxUint32, func(b *engine.Block) error {
			w.rows += int64(b.Len())
			if w.progress != nil {
				w.progress(w.rows)
			}
			return w.put(columns.Append(columns.Append(nil, []string{t.Name}), b.Columns...))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func order(t *engine.Table) int {
	if t.Timed {
		return 0
	}
	return 1
}

func (w *exporter) put(block []byte) error {
	_, _ = w.sum.Write(block) // a hash takes everything
	if _, err := w.w.Write(binary.AppendUvarint(nil, uint64(len(block)))); err != nil {
		return err
	}
	_, err := w.w.Write(block)
	return err
}

func (w *exporter) end() error {
	last := columns.Append(columns.Append(nil, []string{""}), []uint64{uint64(w.rows), uint64(w.sum.Sum32())})
	if err := w.put(last); err != nil {
		return err
	}
	return w.w.Flush()
}

// ErrExport says that what should be an export is none, or only a part of one.
var ErrExport = errors.New("it is no whole export of a store")

// Import writes an export into an engine that is empty.
func Import(ctx context.Context, e engine.Engine, from io.Reader, progress func(rows int64)) error {
	if e.Committed() != 0 {
		return errors.New("import: there are profiles already; import into a new store")
	}
	z, err := zstd.NewReader(from)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer z.Close()
	in := &importer{r: bufio.NewReaderSize(z, 1<<20), e: e, sum: crc32.NewIEEE(), progress: progress}
	if err := in.run(ctx); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return nil
}

// Fill makes the store of a directory, which has none yet, of an export: all of it or nothing.
func Fill(ctx context.Context, dir string, open func(ctx context.Context, dir string) (engine.Engine, error), from io.Reader, progress func(rows int64)) (err error) {
	temp, err := os.MkdirTemp(dir, "importing-")
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	e, err := open(ctx, temp)
	if err != nil {
		return err
	}
	err = Import(ctx, e, from, progress)
	if err == nil {
		err = renew(dir, e)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(dir, engineDir)); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return wholefile.SyncDir(dir)
}

// renew readies the directory of a store, whose engine was lost, for one that was filled by
// Import: what the journal has comes after it.
func renew(dir string, e engine.Engine) error {
	if err := journal.Renew(filepath.Join(dir, journalDir), e.Committed()); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return nil
}

type importer struct {
	r        *bufio.Reader
	e        engine.Engine
	sum      hash.Hash32
	rows     int64
	waiting  []*engine.Block
	size     int
	commit   uint64
	progress func(int64)
}

func (in *importer) run(ctx context.Context) error {
	head := make([]byte, len(exportLine))
	if _, err := io.ReadFull(in.r, head); err != nil || string(head) != exportLine {
		return ErrExport
	}
	for {
		before := in.sum.Sum32()
		block, err := in.block()
		if err != nil {
			return err
		}
		var name []string
		rest, err := columns.Read(block, &name)
		if err != nil || len(name) != 1 {
			return ErrExport
		}
		if name[0] == "" {
			var last []uint64
			if _, err := columns.Read(rest, &last); err != nil || len(last) != 2 || last[0] != uint64(in.rows) || last[1] != uint64(before) {
				return ErrExport
			}
			if _, err := in.r.ReadByte(); !errors.Is(err, io.EOF) {
				return ErrExport // something is behind it
			}
			return in.flush(ctx)
		}
		if err := in.add(ctx, name[0], rest); err != nil {
			return err
		}
	}
}

func (in *importer) block() ([]byte, error) {
	n, err := binary.ReadUvarint(in.r)
	if err != nil || n > maxBlock {
		return nil, ErrExport
	}
	// Room is made as the bytes come: the length may be a lie.
	data, err := io.ReadAll(io.LimitReader(in.r, int64(n)))
	if err != nil || uint64(len(data)) != n {
		return nil, ErrExport
	}
	_, _ = in.sum.Write(data) // a hash takes everything
	return data, nil
}

func (in *importer) add(ctx context.Context, name string, data []byte) error {
	for _, t := range engine.Tables() {
		if t.Name != name {
			continue
		}
		b, err := readBlock(t, data)
		if err != nil {
			return err
		}
		in.waiting = append(in.waiting, b)
		in.size += b.Len()
		in.rows += int64(b.Len())
		if in.progress != nil {
			in.progress(in.rows)
		}
		if in.size < 4*exportRows {
			return nil
		}
		return in.flush(ctx)
	}
	return fmt.Errorf("it has a table %q: %w", name, engine.ErrNewer)
}

// flush commits what waits. Several blocks of one table become one.
func (in *importer) flush(ctx context.Context) error {
	var blocks []*engine.Block
	for _, b := range in.waiting {
		if n := len(blocks); n > 0 && blocks[n-1].Table == b.Table {
			blocks[n-1].Extend(b)
			continue
		}
		blocks = append(blocks, b)
	}
	in.waiting, in.size = nil, 0
	in.commit++
	return in.e.Commit(ctx, in.commit, blocks)
}

func readBlock(t *engine.Table, data []byte) (*engine.Block, error) {
	b := engine.NewBlock(t, 0)
	into := make([]any, len(b.Columns))
	for i, c := range b.Columns {
		switch c.(type) {
		case []uint8:
			into[i] = new([]uint8)
		case []uint32:
			into[i] = new([]uint32)
		case []uint64:
			into[i] = new([]uint64)
		case []int64:
			into[i] = new([]int64)
		case []string:
			into[i] = new([]string)
		}
	}
	if rest, err := columns.Read(data, into...); err != nil || len(rest) > 0 {
		return nil, ErrExport
	}
	rows := -1
	for i, p := range into {
		var n int
		switch p := p.(type) {
		case *[]uint8:
			b.Columns[i], n = *p, len(*p)
		case *[]uint32:
			b.Columns[i], n = *p, len(*p)
		case *[]uint64:
			b.Columns[i], n = *p, len(*p)
		case *[]int64:
			b.Columns[i], n = *p, len(*p)
		case *[]string:
			b.Columns[i], n = *p, len(*p)
		}
		if rows >= 0 && n != rows {
			return nil, ErrExport
		}
		rows = n
	}
	return b, nil
}
