package ebpf

import (
	"slices"
	"unique"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// V8 maps the built-in functions in node's text once more, near the code that it generates. The
// profiler looks for a frame's mapping among those of its file by where they begin, and takes
// the last that begins before the address: behind the second mapping it finds none, though the
// first one has the address. All of node's functions there (the compilers, the collector) had no
// name. So the mappings that were seen are kept by file, and asked once more.
//
// Example. node's text is 0xb6f000 to 0x25fe000, the built-ins in it are 0x1ab7000 to 0x1c40000:
// 0x21bd626 is behind the second, and within the first.

// nativesOf appends the files of the native frames of a trace, in their order.
func nativesOf(out []host.FileID, t *libpf.EbpfTrace) []host.FileID {
	const words = 2 // of a native frame: its address, and its file
	frames := libpf.EbpfFrame(t.FrameData[min(int(t.NumKernelFrames), len(t.FrameData)):])
	for len(frames) > 0 {
		n := int(frames.Length())
		if n == 0 || n > len(frames) {
			break
		}
		if f := frames[:n]; n >= words && !f.Flags().Error() && f.Type().IsInterpType(libpf.Native) {
			out = append(out, host.FileID(f.Variable(0)))
		}
		frames = frames[n:]
	}
	return out
}

func isNative(f *libpf.Frame) bool { return f.Type.IsInterpType(libpf.Native) && !f.Type.IsError() }

func isUnmapped(f *libpf.Frame) bool { return isNative(f) && !f.Mapping.Valid() }

// seenMappings are those of native frames, by file.
type seenMappings map[host.FileID][]libpf.FrameMapping

// mostMappings bounds those of one file: they differ where processes map it at other places.
const mostMappings = 16

func (s seenMappings) add(file host.FileID, m libpf.FrameMapping) {
	if known := s[file]; len(known) < mostMappings && !slices.Contains(known, m) {
		s[file] = append(known, m)
	}
}

// learn adds the mappings of a trace's native frames, whose files are known.
func (s seenMappings) learn(frames libpf.Frames, files []host.FileID) {
	for _, h := range frames {
		if f := h.Value(); isNative(&f) && len(files) > 0 {
			if f.Mapping.Valid() {
				s.add(files[0], f.Mapping)
			}
			files = files[1:]
		}
	}
}

// remapped gives a native frame without a mapping the one of its file that has its address.
func (s seenMappings) remapped(h unique.Handle[libpf.Frame], file host.FileID) unique.Handle[libpf.Frame] {
	f := h.Value()
	for _, m := range s[file] {
		if v := m.Value(); v.Start <= libpf.Address(f.AddressOrLineno) && libpf.Address(f.AddressOrLineno) < v.End {
			f.Mapping = m
			return unique.Make(f)
		}
	}
	return h
}
