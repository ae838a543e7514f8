package count

import "slices"

// numbered is a system call of x86-64.
type numbered struct {
	number int32
	name   string
	bytes  bool  // what it gives is how many bytes it moved
	path   uint8 // which argument is a path, 0 for none
}

// calls are those that are known by name; others are counted as "other".
var calls = []numbered{
	{0, "read", true, 0}, {1, "write", true, 0}, {2, "open", false, 1}, {3, "close", false, 0}, {4, "stat", false, 1}, {5, "fstat", false, 0}, {6, "lstat", false, 1},
	{7, "poll", false, 0}, {8, "lseek", false, 0}, {9, "mmap", false, 0}, {10, "mprotect", false, 0}, {11, "munmap", false, 0}, {12, "brk", false, 0},
	{13, "rt_sigaction", false, 0}, {14, "rt_sigprocmask", false, 0}, {16, "ioctl", false, 0}, {17, "pread64", true, 0}, {18, "pwrite64", true, 0},
	{19, "readv", true, 0}, {20, "writev", true, 0}, {21, "access", false, 1}, {23, "select", false, 0}, {24, "sched_yield", false, 0}, {28, "madvise", false, 0},
	{35, "nanosleep", false, 0}, {39, "getpid", false, 0}, {40, "sendfile", true, 0}, {44, "sendto", true, 0}, {45, "recvfrom", true, 0}, {46, "sendmsg", true, 0}, {47, "recvmsg", true, 0},
	{56, "clone", false, 0}, {57, "fork", false, 0}, {58, "vfork", false, 0}, {59, "execve", false, 0}, {61, "wait4", false, 0}, {72, "fcntl", false, 0},
	{74, "fsync", false, 0}, {75, "fdatasync", false, 0}, {77, "ftruncate", false, 0}, {79, "getcwd", false, 0}, {82, "rename", false, 1}, {83, "mkdir", false, 1},
	{85, "creat", false, 1}, {87, "unlink", false, 1}, {89, "readlink", false, 1}, {96, "gettimeofday", false, 0}, {186, "gettid", false, 0}, {202, "futex", false, 0},
	{217, "getdents64", true, 0}, {228, "clock_gettime", false, 0}, {230, "clock_nanosleep", false, 0}, {232, "epoll_wait", false, 0}, {233, "epoll_ctl", false, 0},
	{257, "openat", false, 2}, {262, "newfstatat", false, 2}, {263, "unlinkat", false, 2}, {267, "readlinkat", false, 2}, {269, "faccessat", false, 2},
	{281, "epoll_pwait", false, 0}, {295, "preadv", true, 0}, {296, "pwritev", true, 0}, {318, "getrandom", true, 0}, {332, "statx", false, 2},
	{435, "clone3", false, 0}, {437, "openat2", false, 2}, {439, "faccessat2", false, 2},
}

const other = "other"

// nameOf is the call with a number.
func nameOf(number int32) numbered {
	for _, c := range calls {
		if c.number == number {
			return c
		}
	}
	return numbered{name: other}
}

// isPath says whether the calls of a name are those that name a path.
func isPath(name string) bool {
	return slices.ContainsFunc(calls, func(c numbered) bool { return c.name == name && c.path > 0 })
}
