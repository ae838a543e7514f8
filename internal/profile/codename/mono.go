package codename

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

var (
	// monoMethod is "Namespace.Class:Method (args)", with the kind of code before it where
	// Mono made a wrapper.
	monoMethod = regexp.MustCompile(`^(\(wrapper [\w-]+\) )?([^\s:()][^:()]*):([^\s:()]+(?:<[^()]*>)?) \((.*)\)$`)
	// monoArity is the number of a generic type's parameters, before their list.
	monoArity = regexp.MustCompile("(`\\d+)<")
	monoImage = regexp.MustCompile(`\.(dll|exe)\.so$`)
	// imageArity is the number in symbols of images, where every sign is an underscore, and
	// imageParameter a word of what follows: T_REF, TKey_INT.
	imageArity     = regexp.MustCompile(`_(\d)_`)
	imageParameter = regexp.MustCompile(`^(T([A-Z]\w*)?|[A-Z]+)$`)
)

// monoTypes are what Mono calls the types that C# has words for.
var monoTypes = map[string]string{
	"object": "Object", "string": "String", "bool": "Boolean", "char": "Char", "sbyte": "SByte", "byte": "Byte",
	"short": "Int16", "ushort": "UInt16", "int": "Int32", "uint": "UInt32", "long": "Int64", "ulong": "UInt64",
	"single": "Single", "double": "Double", "intptr": "IntPtr", "uintptr": "UIntPtr", "void": "Void",
}

// mono reads a name of Mono's map (mini/mini-runtime.c, mono_emit_jit_map;
// metadata/debug-helpers.c, mono_method_full_name), and gives it in .NET's spelling. What a
// wrapper leads to has the name of the method; the way into managed code, which is in no
// class, has none.
func mono(symbol string) (Parsed, bool) {
	m := monoMethod.FindStringSubmatch(symbol)
	if m == nil || strings.HasPrefix(m[2], "<") {
		return Parsed{}, false
	}
	class, method := m[2], m[3]
	if known, ok := monoTypes[class]; ok {
		class = "System." + known
	}
	class = strings.ReplaceAll(brackets(class), "/", "+")
	return Parsed{Name: class + "." + brackets(method) + "(" + brackets(m[4]) + ")", Kind: profile.KindDotNet}, true
}

// brackets writes the parameters of generic types and methods as .NET does. Names of the
// compiler's own begin with < and have no parameters.
func brackets(name string) string {
	name = monoArity.ReplaceAllStringFunc(name, func(s string) string { return s[:len(s)-1] + "[" })
	depth := strings.Count(name, "[") - strings.Count(name, "]")
	if i := strings.IndexByte(name, '<'); i > 0 && depth == 0 && strings.HasSuffix(name, ">") {
		return name[:i] + "[" + name[i+1:len(name)-1] + "]"
	}
	for ; depth > 0; depth-- {
		i := strings.LastIndexByte(name, '>')
		if i < 0 {
			break
		}
		name = name[:i] + "]" + name[i+1:]
	}
	return name
}

// IsImage tells binaries that Mono compiled ahead of time: mscorlib.dll.so.
func IsImage(binary string) bool { return monoImage.MatchString(binary) }

// Image reads the name of a method in a binary that Mono compiled ahead of time
// (mini/aot-compiler.c, sanitize_symbol): every sign that is no letter or number is an
// underscore, so where the class ends is a guess. Type names of C# and the name spaces of
// the class library begin the parameters, which are left out.
func Image(symbol, binary string) (p Parsed, ok bool) {
	if !IsImage(binary) || strings.HasPrefix(symbol, "plt_") {
		return Parsed{}, false
	}
	words := strings.Split(imageArity.ReplaceAllString(symbol, "`${1}_"), "_")
	var path []string
	for i, w := range words {
		if i == 0 && monoTypes[w] != "" {
			path = append(path, "System", monoTypes[w])
			continue
		}
		if w == "" && len(path) > 0 { // of a constructor, or of a field of the compiler's
			continue
		}
		if len(path) > 0 && strings.Contains(path[len(path)-1], "`") && (imageParameter.MatchString(w) || monoTypes[w] != "") {
			continue
		}
		if i > 1 && beginsParameters(w) {
			break
		}
		path = append(path, w)
	}
	if len(path) < 2 { //nolint:mnd // a class and a method
		return Parsed{}, false
	}
	if n := len(path); n > 2 && accessors[path[n-2]] { //nolint:mnd // with a class
		path = append(path[:n-2], path[n-2]+"_"+path[n-1])
	}
	return Parsed{Name: strings.Join(path, "."), Kind: profile.KindDotNet}, true
}

// accessors begin the names of a property's methods and of operators.
var accessors = map[string]bool{"get": true, "set": true, "add": true, "remove": true, "op": true}

func beginsParameters(word string) bool {
	switch word {
	case "System", "Microsoft", "Mono", "Internal", "T", "intptr", "uintptr":
		return true
	}
	return monoTypes[word] != ""
}
