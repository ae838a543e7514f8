package main

// kind is how a case's tree is made.
type kind int

const (
	pattern kind = iota // one of the programs in patterns/
	exiv2               // a driver in exiv2/ with exiv2's own sources
	zopfli              // a driver in zopfli/ with zopfli's own sources
)

// one is a finding, the world that predicts its fix, and the fix written by
// hand.
type one struct {
	name     string // edits/NAME.diff is the fix
	kind     kind
	driver   string // the program
	file     string // of the finding, in the tree
	line     string // text of a line that the finding starts or writes in
	world    string
	function string // of the loop, as symbol tables have it, a part of it
}

// The worlds, as --world has them.
const (
	retyped = "retyped"
	hoisted = "hoisted"
)

var cases = []one{
	{"split-retyped", pattern, "split", "split.cpp", "out[i] = in[i] & 31;", retyped, "Splitter5split"},
	{"split-hoisted", pattern, "split", "split.cpp", "out[i] = in[i] & 31;", hoisted, "Splitter5split"},
	{"bytes-retyped", pattern, "bytes", "bytes.cpp", "k.bytes[b] =", retyped, "Keys6encode"},
	{"bytes-hoisted", pattern, "bytes", "bytes.cpp", "k.bytes[b] =", hoisted, "Keys6encode"},
	{"copy-retyped", pattern, "copy", "copy.cpp", "out[i] = in[i];", retyped, "Cleaner5clean"},
	{"copy-hoisted", pattern, "copy", "copy.cpp", "out[i] = in[i];", hoisted, "Cleaner5clean"},
	{"base64-hoisted", exiv2, "base64", "src/preview.cpp", "dest.pData_[destPos] = static_cast<byte>((buffer", hoisted, "decodeBase64"},
	{"hex-hoisted", exiv2, "hex", "src/preview.cpp", "dest.pData_[destPos] = buffer;", hoisted, "decodeHex"},
	{"sony-hoisted", exiv2, "sony", "src/sonymn_int.cpp", "b.pData_[i] = code[bytes[i]];", hoisted, "sonyTagDecipher"},
	{"stored-hoisted", zopfli, "stored", "src/zopfli/deflate.c", "ZOPFLI_APPEND_DATA(in[pos + i], out, outsize);", hoisted, "AddNonCompressedBlock"},
}

// compile is how a unit of a kind is compiled, in the tree's top directory.
func (k kind) compile() string {
	switch k {
	case exiv2:
		return "clang++-19 -O3 -DNDEBUG -std=gnu++11 -ffunction-sections -fdata-sections -fstack-protector-strong -w -I. -Isrc -Ib -Iinclude/exiv2 -Iinclude -isystem xmpsdk/include"
	case zopfli:
		return "clang-19 -O2 -w -I. -Isrc/zopfli"
	case pattern:
	}
	return "clang++-19 -O3 -std=c++20 -Wall -Wextra"
}

// sources are compiled beside the driver.
func (k kind) sources() []string {
	switch k {
	case exiv2:
		return []string{"src/types.cpp", "src/error.cpp", "src/tags.cpp"}
	case zopfli:
		return []string{"src/zopfli/util.c", "src/zopfli/tree.c", "src/zopfli/squeeze.c", "src/zopfli/lz77.c", "src/zopfli/katajainen.c",
			"src/zopfli/hash.c", "src/zopfli/cache.c", "src/zopfli/blocksplitter.c"}
	case pattern:
	}
	return nil
}

func (k kind) extension() string {
	if k == zopfli {
		return ".c"
	}
	return ".cpp"
}

// link is how the objects become the program. The driver needs little of a
// library: what is never called may stay undefined.
func (k kind) link() string {
	switch k {
	case exiv2:
		return "clang++-19 -static -fuse-ld=lld -Wl,--gc-sections,--unresolved-symbols=ignore-all"
	case zopfli:
		return "clang-19 -lm"
	case pattern:
	}
	return "clang++-19"
}
