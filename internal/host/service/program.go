package service

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// found is what a command line runs: a name, or the file of a script.
type found struct{ name, file string }

// interpreter says how a program's command line is read.
type interpreter struct {
	takes []string // options whose value is the next argument
	ends  []string // options after which there is no script: the program is in the argument
	name  []string // options whose value is a module's name
	file  []string // options whose value is the script
	jar   bool     // a script without a path is a class
}

var interpreters = map[string]interpreter{
	"java": {
		takes: []string{"-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules", "--add-reads", "--add-exports", "--add-opens", "--enable-native-access", "-d", "--describe-module"},
		name:  []string{"-m", "--module"}, file: []string{"-jar"}, jar: true,
	},
	"python": {takes: []string{"-W", "-X", "--check-hash-based-pycs"}, ends: []string{"-c"}, name: []string{"-m"}},
	"node": {
		takes: []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--title", "--stack-trace-limit"},
		ends:  []string{"-e", "--eval", "-p", "--print", "-pe"},
	},
	"ruby":   {takes: []string{"-I", "-r", "-C", "-E", "--encoding", "-W"}, ends: []string{"-e"}},
	"perl":   {takes: []string{"-I"}, ends: []string{"-e", "-E"}},
	"php":    {takes: []string{"-c", "-d", "-z", "-S", "-t"}, ends: []string{"-r", "-B", "-R", "-F"}, file: []string{"-f", "--file"}},
	"dotnet": {takes: []string{"--additionalprobingpath", "--depsfile", "--runtimeconfig", "--fx-version", "--roll-forward"}},
	"mono":   {},
	"sh":     {takes: []string{"-o", "-O"}, ends: []string{"-c"}},
	"lua":    {takes: []string{"-l"}, ends: []string{"-e"}},
	"deno":   {},
	"bun":    {},
}

// alike are programs that read their command line as another one does.
var alike = map[string]string{
	"bash": "sh", "dash": "sh", "zsh": "sh", "ksh": "sh", "nodejs": "node", "pypy": "python", "luajit": "lua", "jruby": "ruby", "mono-sgen": "mono",
}

// versioned is a program with its version: python3.11, ruby3.1, php8.2, perl5.36.0.
var versioned = regexp.MustCompile(`^([a-z]+?)-?[0-9][0-9.]*$`)

// running finds what an interpreter runs. It is not ok of a program that is none, or that
// has its text from the command line or from standard input.
func running(program string, args []string) (f found, ok bool) {
	if m := versioned.FindStringSubmatch(program); m != nil {
		program = m[1]
	}
	if other, is := alike[program]; is {
		program = other
	}
	i, is := interpreters[program]
	if !is {
		return found{}, false
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		option, value, joined := strings.Cut(arg, "=")
		next := func() string {
			if joined {
				return value
			}
			if len(args) == 0 {
				return ""
			}
			return args[0]
		}
		switch {
		case slices.Contains(i.ends, option):
			return found{}, false
		case slices.Contains(i.name, option):
			name := strings.TrimSuffix(next(), ".__main__")
			return found{name: name}, name != ""
		case slices.Contains(i.file, option):
			return i.script(next())
		case slices.Contains(i.takes, option):
			if !joined && len(args) > 0 {
				args = args[1:]
			}
		case arg == "--":
			if len(args) > 0 {
				return i.script(args[0])
			}
		case arg == "-":
			return found{}, false
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "@"): // a flag, or a file of arguments
		case (program == "deno" || program == "bun") && (arg == "run" || arg == "x"):
		case program == "dotnet" && (arg == "exec" || arg == "run"):
		default:
			return i.script(arg)
		}
	}
	return found{}, false
}

// archiveVersion is what is appended to the name of an archive for its version. Services
// keep their name over a release.
var archiveVersion = regexp.MustCompile(`-v?\d[\w.+-]*$`)

func (i *interpreter) script(arg string) (found, bool) {
	ext := path.Ext(arg)
	switch {
	case arg == "":
		return found{}, false
	case ext == ".jar" || ext == ".war":
		return found{name: archiveVersion.ReplaceAllString(strings.TrimSuffix(path.Base(arg), ext), "")}, true
	case ext == ".dll" || ext == ".exe":
		return found{name: strings.TrimSuffix(path.Base(arg), ext)}, true
	case i.jar && ext != ".java":
		return found{name: arg}, true // a class
	}
	return found{file: arg}, true
}
