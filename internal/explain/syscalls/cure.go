package syscalls

import (
	"strings"

	"whyhot/internal/profile"
)

// language is what a cure is worded for.
type language string

// The languages that profiles do not tell by their kinds of code.
const (
	langC    language = "c"
	langCPP  language = "c++"
	langRust language = "rust"
	langAny  language = ""
)

func languageOf(kind profile.Kind, file, function string) language {
	switch {
	case strings.HasSuffix(file, ".rs"), strings.Contains(file, "/rustc/"):
		return langRust
	case kind == profile.KindGo || strings.HasSuffix(file, ".go"):
		return language(profile.KindGo.String())
	case kind != profile.KindNative && kind != profile.KindUnknown && kind != profile.KindJIT:
		return language(kind.String())
	case strings.HasSuffix(file, ".c"):
		return langC
	case strings.HasSuffix(file, ".cc"), strings.HasSuffix(file, ".cpp"), strings.HasSuffix(file, ".cxx"), strings.Contains(function, "::"):
		return langCPP
	}
	return langAny
}

// cures are the usual changes, by kind of call and language.
var cures = map[kind]map[language]string{
	writes: {
		"go":     "Put a bufio.Writer in front of the file, and Flush it at the end: w := bufio.NewWriter(f); defer w.Flush()",
		"python": "Open the file with its default buffer (not buffering=0), print without flush=True, and write joined blocks instead of os.write for each piece",
		"ruby":   "Leave sync off ($stdout.sync = false), or collect lines and write them in blocks",
		"perl":   "Leave $| off and print instead of syswrite; keep the handle open between writes",
		"php":    "Keep the handle open (fopen once, not file_put_contents for each piece), and write joined blocks",
		"java":   "Put a BufferedOutputStream or BufferedWriter in front of the file; for System.out, a PrintStream with a buffer and no autoflush",
		"js":     "Collect pieces and write them in blocks, or write to a stream (fs.createWriteStream) instead of fs.writeSync for each piece",
		"dotnet": "Put a BufferedStream in front, or a StreamWriter with AutoFlush = false",
		langRust: "Put a std::io::BufWriter in front of the file (stdout: BufWriter::new(stdout.lock())), and flush it at the end",
		langC:    "Write by stdio with its buffer (fwrite, and setvbuf(f, NULL, _IOFBF, 1 << 16)), or collect pieces and write(2) them in blocks; do not fflush after each",
		langCPP:  "Write through a std::ofstream with its buffer, '\\n' instead of std::endl, no std::unitbuf; or collect pieces and write(2) them in blocks",
		langAny:  "Buffer the output: collect pieces and write them in blocks of some 64 KiB",
	},
	reads: {
		"go":     "Put a bufio.Reader or bufio.Scanner in front of the file: r := bufio.NewReader(f)",
		"python": "Read through a file object with its default buffer instead of os.read or buffering=0, and iterate over lines",
		"ruby":   "Read with IO.foreach, each_line or read instead of sysread and getc on an unbuffered handle",
		"perl":   "Read with <$f> or read instead of sysread of a few bytes",
		"php":    "Read lines with fgets or the whole with file_get_contents instead of fgetc or small freads",
		"java":   "Put a BufferedInputStream or BufferedReader in front of the file",
		"js":     "Read the file in blocks (fs.createReadStream, readline) instead of fs.readSync of a few bytes",
		"dotnet": "Put a BufferedStream or a StreamReader in front of the file",
		langRust: "Put a std::io::BufReader in front of the file before it goes to the parser",
		langC:    "Read by stdio (getc, fgets, fread have a buffer), or read(2) blocks of 64 KiB; do not setvbuf to _IONBF",
		langCPP:  "Read through a std::ifstream with its buffer, or read(2) blocks of 64 KiB",
		langAny:  "Buffer the input: read blocks of some 64 KiB and take pieces from memory",
	},
	paths: {
		langAny: "Where it is the same file each time: open or look it up once, and keep the handle or what was read; ask again after a time, or let inotify tell, where it may change",
	},
}

func cureOf(k kind, l language) string {
	if text := cures[k][l]; text != "" {
		return text
	}
	return cures[k][langAny]
}
