package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A record is its length, a checksum of all that follows, its kind, and its bytes.
const (
	headerSize = 9
	// beginsGroup is set in the kind of the first record of each write.
	beginsGroup = 0x80
)

var checksums = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("journal: damaged record")

// walk gives the records of a segment and how far it came.
func walk(data []byte, yield func(Record) error) (good int, err error) {
	for good < len(data) {
		n, r, err := one(data[good:])
		if err != nil {
			return good, err
		}
		if err := yield(r); err != nil {
			return good, err
		}
		good += n
	}
	return good, nil
}

func one(data []byte) (size int, r Record, err error) {
	if len(data) < headerSize {
		return 0, r, errDamaged
	}
	n := int(binary.LittleEndian.Uint32(data))
	if n > len(data)-headerSize {
		return 0, r, errDamaged
	}
	if crc32.Checksum(data[8:headerSize+n], checksums) != binary.LittleEndian.Uint32(data[4:]) {
		return 0, r, errDamaged
	}
	return headerSize + n, Record{Kind: data[8] &^ beginsGroup, Data: data[headerSize : headerSize+n]}, nil
}

func appendRecord(dst []byte, r Record, mark byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(r.Data)))
	dst = append(dst, 0, 0, 0, 0, r.Kind|mark)
	dst = append(dst, r.Data...)
	binary.LittleEndian.PutUint32(dst[start+4:], crc32.Checksum(dst[start+8:], checksums))
	return dst
}

// tornAt says whether the write of a group may have been interrupted at that place.
// Each group is on the disk before the next one is begun, so the beginning of another
// one behind it says that more was damaged. (Later parts of the same group may well be
// whole: a crash of the machine loses blocks in any order.)
func tornAt(data []byte, at int) bool {
	for next := at + 1; next+headerSize <= len(data); next++ {
		if data[next+8]&beginsGroup == 0 {
			continue
		}
		if _, _, err := one(data[next:]); err == nil {
			return false
		}
	}
	return true
}
