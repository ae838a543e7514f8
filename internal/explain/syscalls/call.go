package syscalls

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

// kind is a group of system calls that one change mends.
type kind string

// The kinds. Companion calls are made along with looking a path up and mean nothing alone.
const (
	reads     kind = "read"
	writes    kind = "write"
	paths     kind = "path"
	companion kind = "companion"
)

var kinds = map[string]kind{
	"read": reads, "pread64": reads, "readv": reads, "preadv": reads, "pread": reads,
	"write": writes, "pwrite64": writes, "writev": writes, "pwritev": writes, "pwrite": writes,
	"open": paths, "openat": paths, "openat2": paths, "creat": paths, "stat": paths, "lstat": paths, "newstat": paths, "newlstat": paths,
	"newfstatat": paths, "fstatat": paths, "statx": paths, "access": paths, "faccessat": paths, "faccessat2": paths, "readlink": paths, "readlinkat": paths,
	"close": companion, "fstat": companion, "newfstat": companion, "ioctl": companion, "lseek": companion, "fcntl": companion,
}

var (
	// inKernel is a function of the kernel that is named after the call.
	inKernel = regexp.MustCompile(`^(?:__(?:x64|ia32|arm64|se|do)_sys_|ksys_|__?do_sys_|do_sys_)([a-z0-9_]+)$|^do_(readv|writev|preadv|pwritev|faccessat|readlinkat)$|^vfs_(fstatat|statx)$`)
	// inLibc is the function of a C library that makes the call.
	inLibc = regexp.MustCompile(`^(?:__GI_+)?_*(?:libc_)?(read|write|pread64|pwrite64|pread|pwrite|readv|writev|open|open64|openat|openat64|stat|stat64|lstat|fstatat|fstatat64|statx|access|faccessat|readlink|close|lseek|lseek64|ioctl|fcntl|fstat)(?:_nocancel|_time64_stat|_time64|64_time64_stat|64_time64)?$`)
	// notFiles are functions below calls that no buffer and no kept handle helps: messages
	// that are waited for, what the kernel makes up when it is read, files that are made,
	// emptied or not known to the kernel yet.
	notFiles = regexp.MustCompile(`^(sock_|__sock|tcp_|udp_|inet6?_|unix_(stream|dgram)|eventfd_|timerfd_|signalfd_|inotify_|fuse_|seq_read|proc_|kernfs_|sysfs_|random_read|urandom_read|get_random_bytes|perf_|bpf_|do_truncate|handle_truncate|notify_change|ext4_(create|unlink|evict|mkdir)|vfs_(create|unlink)|d_alloc_parallel|proc_lookup)`)
	listing  = regexp.MustCompile(`^(iterate_dir|__(x64|arm64|do|se)_sys_getdents(64)?|getdents(64)?|ext4_readdir|ovl_iterate|dcache_readdir)$`)
	synced   = regexp.MustCompile(`^(__(x64|arm64|do|se)_sys_f(data)?sync|do_fsync|vfs_fsync_range|f(data)?sync)$`)
	// moving is work of the kernel that grows with the bytes of a call.
	moving = regexp.MustCompile(`copy|_iter_atomic|folio|filemap|page|alloc|clear|mem(cpy|set|move)|rep_(movs|stos)|readahead|bio|blk_|jbd2|crypt|csum|_da_write_|da_reserve|block_write|generic_perform_write|shmem_|lookup|path_|link_|getname|getattr`)
)

// call is the system call at the leaf of a stack.
type call struct {
	kind  kind
	name  string
	other bool // not of a file: a socket, a generated file
	pipe  bool
	moves bool // the kernel moves data or looks something up
	above int  // index of the outermost location of the call, the function of libc included
}

// reader reads the stacks of a profile.
type reader struct {
	p     *profile.Profile
	calls []*call // by stack; none where it is not known
	asked []bool
}

func newReader(p *profile.Profile) *reader {
	return &reader{p: p, calls: make([]*call, p.NumStacks()), asked: make([]bool, p.NumStacks())}
}

func (r *reader) of(id profile.StackID) *call {
	if !r.asked[id] {
		r.asked[id] = true
		r.calls[id] = r.read(id)
	}
	return r.calls[id]
}

// read finds the call: from the leaf outward through the kernel, and where the kernel does
// not name it, by the function of the C library or of the language that entered it.
func (r *reader) read(id profile.StackID) *call {
	stack := r.p.Stack(id)
	c := call{}
	at := 0
	for ; at < len(stack); at++ {
		f := r.function(stack[at])
		if f.Kind != profile.KindKernel {
			break
		}
		if of := inKernel.FindStringSubmatch(f.Name); of != nil {
			c.name = of[1] + of[2] + of[3] // one of them; the outermost counts
		}
		c.other = c.other || notFiles.MatchString(f.Name)
		c.pipe = c.pipe || strings.HasPrefix(f.Name, "pipe_") || strings.HasPrefix(f.Name, "anon_pipe")
		c.moves = c.moves || moving.MatchString(f.Name)
	}
	entered := at > 0
	for n := 0; n < mostWrappers && at < len(stack); n, at = n+1, at+1 {
		f := r.function(stack[at])
		name := wrapped(f)
		if name == "" {
			break
		}
		if c.name == "" || c.name == "?" {
			c.name = name
		}
	}
	c.above = at - 1
	if c.kind = kinds[c.name]; c.kind == "" || !entered && at == 0 {
		return nil
	}
	return &c
}

// mostWrappers bounds how many functions around a call are looked at: write, __GI___libc_write.
const mostWrappers = 8

// goCalls are the functions by which Go enters the kernel.
var goCalls = regexp.MustCompile(`^(internal/runtime/syscall(/linux)?\.|syscall\.|internal/poll\.|golang\.org/x/sys/unix\.)`)

// wrapped is the call that a function only makes, "" for other functions; "?" where it
// makes any call.
func wrapped(f *profile.Function) string {
	if f.Kind == profile.KindNative || f.Kind == profile.KindUnknown {
		if of := inLibc.FindStringSubmatch(f.Name); of != nil {
			return strings.TrimSuffix(of[1], "64")
		}
	}
	if prefix := goCalls.FindString(f.Name); prefix != "" {
		name := f.Name[len(prefix):]
		name = name[strings.LastIndexByte(name, '.')+1:]
		if kinds[strings.ToLower(name)] != "" {
			return strings.ToLower(name)
		}
		return "?"
	}
	return ""
}

func (r *reader) function(loc profile.LocationID) *profile.Function {
	lines := r.p.Lines(loc)
	return r.p.Function(lines[len(lines)-1].Function)
}
