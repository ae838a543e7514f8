package inside

import (
	"archive/zip"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// javaCounter is an agent, which the JVM starts before the program. It is compiled by the
// program's own JDK: what changes classes is inside of the JVM, and differs by its version.
//
//go:embed java/*.java
var javaCounter embed.FS

const javaAgent = "agent.jar"

var java = language{
	kind: profile.KindJava, name: "java", build: buildJava,
	// JDK_JAVA_OPTIONS is for the launcher only, not for programs that have the JVM as a
	// library, and the launcher tells of it, too.
	variable: "JAVA_TOOL_OPTIONS",
	value: func(dir, old string) string {
		option := "-javaagent:" + filepath.Join(dir, javaAgent)
		if strings.ContainsAny(option, " \t") {
			option = `"` + option + `"`
		}
		return strings.TrimSpace(old + " " + option)
	},
	silent: "functions of Java: no JVM loaded the counter (it comes by JAVA_TOOL_OPTIONS, which is lost where the environment is cleared), or it was killed or halted before it could write",
}

// buildJava compiles the counter and packs it.
func buildJava(dir string, functions []Function) (notCounted string, err error) {
	machine := ""
	for _, f := range functions {
		machine = cmp.Or(machine, f.Machine)
	}
	if machine != "" {
		// JVMs that were made for one program may lack it, and would not start.
		if library := filepath.Join(filepath.Dir(filepath.Dir(machine)), "libinstrument.so"); exists(machine) && !exists(library) {
			return "functions of Java: the program's JVM has no " + library + ", without which it loads no counter", nil
		}
	}
	javac := findJavac(machine)
	if javac == "" {
		return "functions of Java: no javac, which makes the counter; install a JDK of the version that the program runs on", nil
	}
	if err := os.CopyFS(dir, javaCounter); err != nil {
		return "", fmt.Errorf("preparing the run: %w", err)
	}
	sources, classes := filepath.Join(dir, "java"), filepath.Join(dir, "classes")
	compile := func(arguments ...string) (string, error) {
		cmd := exec.Command(javac, append([]string{"-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", classes, "-cp", classes}, arguments...)...)
		cmd.Dir = sources
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.HasPrefix(v, "JAVA_TOOL_OPTIONS=") || strings.HasPrefix(v, "JDK_JAVAC_OPTIONS=") // the program's, and javac tells of them
		})
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err //nolint:wrapcheck // told by the caller
	}
	// For Java 8, whose JVM can then say that it is too old, and because what is compiled for
	// it may stand in java.lang.
	out, err := compile("--release", "8", "WhyhotCounter.java", "Agent.java")
	if err == nil {
		// Before Java 24 the JVM has a library of others inside, since then one of its own.
		// What joins texts by the JVM's ways of version 9 loads classes for that.
		patched := []string{"-XDstringConcat=inline", "--patch-module", "java.base=" + classes, "Transformer.java"}
		if _, err = compile(append([]string{"-source", "11", "-target", "11", "--add-exports", "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED", "AsmRewriter.java"}, patched...)...); err != nil {
			out, err = compile(append([]string{"ClassFileRewriter.java"}, patched...)...)
		}
	}
	if err != nil {
		first, _, _ := strings.Cut(out, "\n")
		return fmt.Sprintf("functions of Java: %s does not compile the counter: %s", javac, cmp.Or(first, err.Error())), nil
	}
	return "", pack(filepath.Join(dir, javaAgent), classes)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// findJavac gives the compiler of the JDK that has the file of a virtual machine, else that of
// the java which a command would take, "" where there is none.
func findJavac(machine string) string {
	var beside []string
	if machine != "" { // JDK/lib/server/libjvm.so
		beside = append(beside, filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(machine))), "bin"))
	}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		beside = append(beside, filepath.Join(home, "bin"))
	}
	if path, err := exec.LookPath("java"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			beside = append(beside, filepath.Dir(path))
		}
	}
	for _, dir := range beside {
		if path, err := exec.LookPath(filepath.Join(dir, "javac")); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("javac")
	if err != nil {
		return ""
	}
	return path
}

// pack makes the archive that the JVM loads.
func pack(path, classes string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("preparing the run: %w", err)
	}
	defer func() { _ = file.Close() }() // what was written is known below
	archive := zip.NewWriter(file)
	write := func(name string, text []byte) error {
		w, err := archive.Create(name)
		if err != nil {
			return err //nolint:wrapcheck // told below
		}
		_, err = w.Write(text)
		return err //nolint:wrapcheck // told below
	}
	err = write("META-INF/MANIFEST.MF", []byte("Manifest-Version: 1.0\nPremain-Class: whyhot.Agent\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n\n"))
	if err == nil {
		root := os.DirFS(classes)
		err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err //nolint:wrapcheck // told below
			}
			return write(name, text)
		})
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		return fmt.Errorf("preparing the run: %w", err)
	}
	return nil
}
