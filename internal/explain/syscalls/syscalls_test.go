package syscalls

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// stacks makes a profile of stacks, outermost frame first, "name|file:line" for own code.
type stacks struct {
	b *profile.Builder
	t *testing.T
}

func newStacks(t *testing.T) *stacks { return &stacks{profile.NewBuilder(), t} }

const kernel, libc = "[kernel.kallsyms]", "/usr/lib/x86_64-linux-gnu/libc.so.6"

func (s *stacks) add(count int64, words string) {
	var locs []profile.LocationID
	for word := range strings.FieldsSeq(words) {
		fn := profile.Function{Kind: profile.KindNative}
		line := int32(0)
		name, file, own := strings.Cut(word, "|")
		binary := "/home/me/app"
		switch {
		case own:
			fn.File = "/home/me/src/" + file
			line = 41
			if strings.HasSuffix(file, ".py") {
				fn.Kind, binary = profile.KindPython, ""
			}
		case strings.HasPrefix(name, "k:"):
			name, fn.Kind, binary = name[2:], profile.KindKernel, kernel
		default:
			binary = libc
		}
		fn.Name, fn.Mapping = name, s.b.Mapping(profile.Mapping{Path: binary, Start: 1, Limit: 1 << 40})
		id := s.b.Function(fn)
		locs = append([]profile.LocationID{s.b.Location(fn.Mapping, 0, fn.Kind, profile.Line{Function: id, Line: line})}, locs...)
	}
	s.b.Sample(profile.Sample{Stack: s.b.Stack(locs), Count: count, Value: count})
}

func (s *stacks) found(calls ...profile.Calls) []finding.Finding {
	s.t.Helper()
	a, err := Judge(s.t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{Calls: calls})})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []finding.Finding
	for _, f := range a.Found {
		out = append(out, f.Finding)
	}
	return out
}

const entry = " k:entry_SYSCALL_64_after_hwframe k:do_syscall_64"

func written(name string, n, size uint64) profile.Calls {
	return profile.Calls{Name: name, Count: n, Bytes: n * size}
}

func TestSmallCalls(t *testing.T) {
	put := "main|app.rs put|app.rs write"
	for name, x := range map[string]struct {
		make  func(s *stacks)
		calls []profile.Calls
		want  string
	}{
		"entering the kernel for each line": {func(s *stacks) {
			s.add(200, put+entry)
			s.add(100, put+entry+" k:ksys_write k:fdget_pos")
			s.add(700, "main|app.rs work|app.rs")
		}, nil, RuleWrites},
		"copying blocks": {func(s *stacks) {
			s.add(40, put+entry)
			s.add(400, put+entry+" k:ksys_write k:vfs_write k:copy_page_from_iter_atomic")
			s.add(600, "main|app.rs work|app.rs")
		}, nil, ""},
		"counted: a page each": {func(s *stacks) {
			s.add(300, put+entry)
			s.add(700, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 100_000, 4096)}, ""},
		"counted: few": {func(s *stacks) {
			s.add(300, put+entry)
			s.add(700, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 500, 20)}, ""},
		"counted: small, to a file": {func(s *stacks) {
			s.add(100, put+entry)
			s.add(300, put+entry+" k:ksys_write k:vfs_write k:ext4_da_write_begin k:__filemap_get_folio")
			s.add(600, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 400_000, 14)}, RuleWrites},
		"messages over a socket": {func(s *stacks) {
			s.add(100, put+entry)
			s.add(300, put+entry+" k:ksys_write k:vfs_write k:sock_write_iter k:tcp_sendmsg")
			s.add(600, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 400_000, 14)}, ""},
		"messages over two pipes": {func(s *stacks) {
			s.add(300, put+entry+" k:ksys_write k:vfs_write k:pipe_write")
			s.add(300, "main|app.rs get|app.rs read"+entry+" k:ksys_read k:vfs_read k:pipe_read")
		}, []profile.Calls{written("write", 400_000, 14), written("read", 400_000, 14)}, ""},
		"a journal that is synced": {func(s *stacks) {
			s.add(300, put+entry)
			s.add(50, "main|app.rs put|app.rs fdatasync"+entry+" k:__x64_sys_fdatasync k:ext4_sync_file")
			s.add(600, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 400_000, 14)}, ""},
		"little of the program": {func(s *stacks) {
			s.add(60, put+entry)
			s.add(940, "main|app.rs work|app.rs")
		}, []profile.Calls{written("write", 400_000, 14)}, ""},
		"one setting, looked for each time": {func(s *stacks) {
			s.add(400, "<module>|job.py changed|job.py fstatat fstatat64_time64_stat"+entry+" k:__do_sys_newfstatat k:vfs_fstatat")
			s.add(600, "<module>|job.py work|job.py")
		}, nil, RulePaths},
		"all files of a tree": {func(s *stacks) {
			s.add(400, "<module>|job.py size|job.py fstatat"+entry+" k:__do_sys_newfstatat k:vfs_fstatat")
			s.add(5, "<module>|job.py size|job.py readdir getdents64"+entry+" k:__x64_sys_getdents64 k:iterate_dir")
			s.add(600, "<module>|job.py work|job.py")
		}, nil, ""},
		"counted: many paths": {func(s *stacks) {
			s.add(400, "<module>|job.py size|job.py fstatat"+entry+" k:__do_sys_newfstatat k:vfs_fstatat")
			s.add(600, "<module>|job.py work|job.py")
		}, []profile.Calls{{Name: "newfstatat", Count: 90_000, Paths: 80_000}}, ""},
		"counted: one path": {func(s *stacks) {
			s.add(400, "<module>|job.py size|job.py fstatat"+entry+" k:__do_sys_newfstatat k:vfs_fstatat")
			s.add(600, "<module>|job.py work|job.py")
		}, []profile.Calls{{Name: "newfstatat", Count: 90_000, Paths: 9}}, RulePaths},
		"modules that are imported": {func(s *stacks) {
			s.add(400, "<module>|job.py _find_and_load|<frozen_importlib._bootstrap> fstatat"+entry+" k:__do_sys_newfstatat k:vfs_fstatat k:do_truncate")
			s.add(600, "<module>|job.py work|job.py")
		}, nil, ""},
	} {
		s := newStacks(t)
		x.make(s)
		got := s.found(x.calls...)
		if x.want == "" && len(got) > 0 || x.want != "" && (len(got) != 1 || got[0].Rule != x.want) {
			t.Errorf("%s: %+v", name, got)
		}
		if len(got) == 1 && (got[0].Place.Line != 41 || got[0].Place.File == "" || len(got[0].Fix.Steps) == 0) {
			t.Errorf("%s: %+v", name, got[0].Place)
		}
	}
}

// What is counted is said, in the words of the language; what the way to the calls takes is
// a part of what can be saved.
func TestWhatIsSaid(t *testing.T) {
	s := newStacks(t)
	s.add(400, "main|app.rs put|app.rs write_all write"+entry)
	s.add(100, "main|app.rs put|app.rs write_all")
	s.add(500, "main|app.rs work|app.rs")
	got := s.found(written("write", 1_200_000, 14))
	if len(got) != 1 || got[0].Certainty != finding.Confirmed {
		t.Fatalf("%+v", got)
	}
	f := got[0]
	var text strings.Builder
	for _, e := range f.Evidence {
		text.WriteString(e.Text + "\n")
	}
	if !strings.Contains(text.String(), "write(2) 1,200,000 times, 14 bytes each") || !strings.Contains(f.Fix.Steps[0], "BufWriter") {
		t.Errorf("%s%q", text.String(), f.Fix.Steps)
	}
	if g := f.Estimate(); g == nil || g.High < 0.49 || g.High > 0.51 || g.Low <= 0 {
		t.Errorf("%+v", f.Gain)
	}
}

// A file that is opened for each line is told once, not as small writes too.
func TestAFileThatIsOpenedForEachPiece(t *testing.T) {
	s := newStacks(t)
	s.add(200, "main|app.c log|app.c open"+entry+" k:__x64_sys_openat k:do_sys_openat2")
	s.add(200, "main|app.c log|app.c write"+entry+" k:ksys_write")
	s.add(100, "main|app.c log|app.c close"+entry+" k:__x64_sys_close")
	s.add(500, "main|app.c work|app.c")
	got := s.found(written("write", 200_000, 20))
	if len(got) != 1 || got[0].Rule != RulePaths || got[0].Share.Main() != 0.5 || !strings.Contains(got[0].Title, "opened for each piece") {
		t.Fatalf("%+v", got)
	}
}

// Reading a small file each time is no input without a buffer.
func TestAFileThatIsReadEachTime(t *testing.T) {
	s := newStacks(t)
	s.add(200, "main|app.c page|app.c open"+entry+" k:__x64_sys_openat k:do_sys_openat2")
	s.add(150, "main|app.c page|app.c read"+entry+" k:ksys_read")
	s.add(650, "main|app.c work|app.c")
	got := s.found(written("read", 200_000, 120))
	if len(got) != 1 || got[0].Rule != RulePaths || got[0].Share.Main() != 0.35 || got[0].Next.Verb != "count" {
		t.Fatalf("%+v", got)
	}
	// Opened once, and read by bytes.
	s = newStacks(t)
	s.add(1, "main|app.c page|app.c open"+entry+" k:__x64_sys_openat k:do_sys_openat2")
	s.add(350, "main|app.c page|app.c read"+entry+" k:ksys_read")
	s.add(650, "main|app.c work|app.c")
	if got := s.found(written("read", 200_000, 1)); len(got) != 1 || got[0].Rule != RuleReads {
		t.Fatalf("%+v", got)
	}
}

func TestStacksWithoutOwnFrames(t *testing.T) {
	s := newStacks(t)
	s.add(400, "handleWrite write"+entry)
	s.add(600, "work|app.c")
	if got := s.found(written("write", 200_000, 20)); len(got) != 1 || got[0].Title == "" {
		t.Errorf("%+v", got)
	}
}
