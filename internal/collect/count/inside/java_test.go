package inside

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

const javaProgram = `
import java.util.*;

public class P {
    static class Tool {
        final String text;
        Tool(String text) { this.text = text; }
        int use(int number) { return number; }
        void fails() { throw new IllegalStateException(); }
        void never() {}
        static boolean nothing(long a, double b, char c, float d, byte e, short f, boolean g, int[] h) { return g; }
    }

    static class Odd extends Tool {
        Odd(String text) { super(check(text)); }
        static String check(String text) { if (text.isEmpty()) throw new IllegalArgumentException(); return text; }
    }

    static class Loud { // it must not be asked
        @Override public boolean equals(Object o) { throw new AssertionError(); }
        @Override public int hashCode() { throw new AssertionError(); }
        @Override public String toString() { throw new AssertionError(); }
    }

    static class Table {
        final List<String> rows = new ArrayList<>();
        int add(String row) { rows.add(row); return rows.size(); }
        List<Integer> widest(int of) {
            int most = 0;
            for (String r : rows) most = Math.max(most, r.length());
            return new ArrayList<>(List.of(most, of));
        }
        Tool made() { return new Tool("made"); }
        Table chained() { return this; }
        Iterator<String> each() { return rows.iterator(); }
        Map<String, Object> inner() { return Collections.unmodifiableMap(new HashMap<>(Map.of("a", new Tool("b"), "c", new int[] {1, 2}))); }
        Object loud(Loud l, Object[] of) { return List.of(new Loud()); }
    }

    static String temporary(Tool tool) { return tool.text + "!"; }

    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }

    static int caught(int n) {
        while (true) {
            try {
                if (n % 2 == 0) throw new RuntimeException();
                return n;
            } catch (RuntimeException e) {
                n++;
            }
        }
    }

    static synchronized int together(int n) { return n; }

    public static void main(String[] arguments) throws Exception {
        Table table = new Table();
        for (int n = 0; n < 300; n++) {
            new Tool("the same").use(n);
            table.add("row");
            table.widest(n % 3);
            table.made();
            table.chained();
            table.each();
            table.inner();
            table.loud(new Loud(), new Object[] {"a", List.of(n % 2)});
            temporary(new Tool("text " + n));
            Tool.nothing(1, 2, '3', 4, (byte) 5, (short) 6, true, new int[] {n % 5});
            caught(n % 4);
            try {
                new Tool("").fails();
            } catch (IllegalStateException e) {
            }
            try {
                new Odd(n % 2 == 0 ? "" : "odd");
            } catch (IllegalArgumentException e) {
            }
        }
        deep(100);
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            (all[i] = new Thread(() -> { for (int n = 0; n < 5000; n++) together(n % 10); })).start();
        }
        for (Thread t : all) t.join();
        System.out.println("done");
        System.exit(0);
    }
}
`

// The same as of Python's functions: arguments by value, objects by which they are, results by
// what is in them; nothing of the program is asked for that.
func TestJava(t *testing.T) {
	got, file := run(t, profile.KindJava, "java", "P.java", javaProgram, nil,
		"void P$Tool.<init>(java.lang.String)", "int P$Tool.use(int)", "void P$Tool.never()", "void P$Tool.fails()", "int P$Table.add(java.lang.String)",
		"java.util.List P$Table.widest(int)", "P$Tool P$Table.made()", "P$Table P$Table.chained()", "java.util.Iterator P$Table.each()", "java.util.Map P$Table.inner()",
		"java.lang.Object P$Table.loud(P$Loud, java.lang.Object[])", "java.lang.String P.temporary(P$Tool)", "int P.deep(int)", "int P.caught(int)", "void P$Odd.<init>(java.lang.String)",
		"boolean P$Tool.nothing(long, double, char, float, byte, short, boolean, int[])", "int P.together(int)", "int P.absent(int)")
	var first, again uint64
	for _, f := range got.Functions {
		first, again = first+f.FirstTime, again+f.AgainTime
	}
	if first == 0 || again == 0 {
		t.Errorf("%d ns with new arguments, %d with known ones", first, again)
	}
	for i := range got.Functions {
		if got.Functions[i].Name == "int P.together(int)" {
			got.Functions[i].Cyclic = 0 // threads mix
		}
	}
	held(t, got, file,
		profile.FunctionCalls{Name: "void P$Tool.<init>(java.lang.String)", Count: 1650, Looked: 1650, Different: 305, Repeated: 1345, Same: 1345, Cyclic: 6},
		profile.FunctionCalls{Name: "int P$Tool.use(int)", Count: 300, Looked: 300, Different: 300, Results: 300, Plain: 300},
		profile.FunctionCalls{Name: "void P$Tool.never()"},
		profile.FunctionCalls{Name: "int P.absent(int)"},
		profile.FunctionCalls{Name: "void P$Tool.fails()", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "int P$Table.add(java.lang.String)", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "java.util.List P$Table.widest(int)", Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		profile.FunctionCalls{Name: "P$Tool P$Table.made()", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		profile.FunctionCalls{Name: "java.util.Map P$Table.inner()", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		profile.FunctionCalls{Name: "P$Table P$Table.chained()", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "java.util.Iterator P$Table.each()", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "java.lang.Object P$Table.loud(P$Loud, java.lang.Object[])", Count: 300, Looked: 300, Different: 300, Results: 1},
		profile.FunctionCalls{Name: "java.lang.String P.temporary(P$Tool)", Count: 300, Looked: 300, Different: 300, Results: 300},
		profile.FunctionCalls{Name: "int P.deep(int)", Count: 101, Looked: 101, Different: 101, Results: 101, Plain: 101},
		profile.FunctionCalls{Name: "int P.caught(int)", Count: 300, Looked: 300, Different: 4, Repeated: 296, Same: 296, Results: 2, Plain: 300, Cyclic: 292},
		profile.FunctionCalls{Name: "void P$Odd.<init>(java.lang.String)", Count: 300, Looked: 150, Different: 1, Repeated: 149, Same: 149, Cyclic: 148},
		profile.FunctionCalls{Name: "boolean P$Tool.nothing(long, double, char, float, byte, short, boolean, int[])", Count: 300, Looked: 300, Different: 5, Repeated: 295, Same: 295, Results: 1, Plain: 300, Cyclic: 290},
		profile.FunctionCalls{Name: "int P.together(int)", Count: 20000, Looked: 20000, Different: 10, Repeated: 19990, Same: 19990, Results: 10, Plain: 20000})
}

// Methods of the JDK are counted, but not what the counter itself calls of them; what the JVM
// has machine code for is said.
func TestJavaOfTheJDK(t *testing.T) {
	const text = `
import java.util.*;

public class Q {
    public static void main(String[] arguments) {
        Map<Integer, String> map = new HashMap<>();
        TreeMap<String, Integer> tree = new TreeMap<>();
        for (int n = 0; n < 1000; n++) {
            map.put(n % 10, "x");
            tree.merge("k", 1, Integer::sum);
            take(map);
        }
        System.out.println(Thread.currentThread().getName());
    }
    static Object take(Map<Integer, String> map) { return new HashMap<>(map); }
}
`
	tree, put, take := "java.lang.Object java.util.TreeMap.merge(java.lang.Object, java.lang.Object, java.util.function.BiFunction)", "java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object)", "java.lang.Object Q.take(java.util.Map)"
	got, _ := run(t, profile.KindJava, "java", "Q.java", text, nil, "java.util.Map$Entry java.util.TreeMap.pollFirstEntry()", "boolean java.util.AbstractCollection.isEmpty()", "java.util.Iterator java.util.Spliterators.iterator(java.util.Spliterator)", tree, put, take, "java.lang.String java.lang.Thread.getName()", "int java.lang.StringLatin1.indexOf(byte[], byte[])")
	counts := map[string]uint64{}
	for _, f := range got.Functions {
		counts[f.Name] = f.Count
	}
	if counts[tree] < 1000 || counts[put] < 1000 || counts[put] > 50_000 || counts[take] != 1000 {
		t.Errorf("%+v", got.Functions)
	}
	if len(got.NotCounted) != 2 || !strings.Contains(got.NotCounted[0], "Thread.getName()") || !strings.Contains(got.NotCounted[1], "StringLatin1.indexOf") {
		t.Errorf("%q", got.NotCounted)
	}
}

// What the program prints and how it ends stays as it was, whatever leaves its methods.
func TestJavaLeavesTheProgramAlone(t *testing.T) {
	path, err := exec.LookPath("java")
	if err != nil {
		t.Skip("no java")
	}
	const text = `
public class E {
    static int fails(int n) {
        if (n == 0) throw new IllegalArgumentException("last");
        return fails(n - 1);
    }
    static long endless(long n) { return endless(n + 1) + 1; }
    public static void main(String[] arguments) {
        try { endless(0); } catch (StackOverflowError e) { System.out.println("overflow"); }
        for (StackTraceElement e : new Throwable().getStackTrace()) System.out.println(e.getMethodName() + " " + e.getLineNumber());
        System.out.println(System.getProperty("java.class.path") + System.getSecurityManager());
        fails(3);
    }
}
`
	dir := t.TempDir()
	file := filepath.Join(dir, "E.java")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var list []Function
	for _, name := range []string{"int E.fails(int)", "long E.endless(long)", "void E.main(java.lang.String[])"} {
		list = append(list, Function{Name: name, File: "E.java", Kind: profile.KindJava})
	}
	r, err := Prepare(t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(env []string) (out, errors string, code int) {
		cmd := exec.Command(path, file)
		var o, e strings.Builder
		cmd.Env, cmd.Stdout, cmd.Stderr = env, &o, &e
		_ = cmd.Run() // it fails
		lines := slices.DeleteFunc(strings.Split(e.String(), "\n"), func(l string) bool { return strings.HasPrefix(l, "Picked up JAVA_TOOL_OPTIONS") })
		return o.String(), strings.Join(lines, "\n"), cmd.ProcessState.ExitCode()
	}
	out, errors, code := outcome(nil)
	gotOut, gotErrors, gotCode := outcome(r.Environment)
	if out != gotOut || errors != gotErrors || code != gotCode || code != 1 {
		t.Errorf("%q, %q, %d instead of %q, %q, %d", gotOut, gotErrors, gotCode, out, errors, code)
	}
	got, err := r.Read()
	if err != nil || len(got.Functions) != 3 || got.Functions[0].Nothing != 4 || got.Functions[1].Count < 1000 {
		t.Errorf("%+v %v", got, err)
	}
}

// Options that are there stay, and where no JDK is, that is said.
func TestJavaWithoutJDK(t *testing.T) {
	if got, want := java.value("/a b", "-Xmx1g"), `-Xmx1g "-javaagent:/a b/agent.jar"`; got != want {
		t.Errorf("%s instead of %s", got, want)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	r, err := Prepare(t.TempDir(), []Function{{Name: "int A.a()", File: "A.java", Kind: profile.KindJava}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Read()
	if err != nil || r.Environment != nil || len(got.NotCounted) != 1 || !strings.Contains(got.NotCounted[0], "no javac") {
		t.Errorf("%+v %v %v", got, err, r.Environment)
	}
}
