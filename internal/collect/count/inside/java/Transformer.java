package whyhot;

import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Changes a class by what a JVM has for that. */
interface Rewriter {
	/**
	 * Gives the class with calls of the counter. Of methods, by name and descriptor, it gives
	 * the number, null where a method is not wanted; left hears of each that cannot be changed.
	 */
	byte[] rewrite(byte[] text, ClassLoader loader, Map<String, Integer> methods, Left left);
}

/** Hears of methods that cannot be changed. */
interface Left {
	void method(int number, String why);
}

/** Changes the classes whose methods are to be counted, when they are loaded, or where they are. */
public final class Transformer implements ClassFileTransformer, Left {
	private static final String ASM = "jdk.internal.org.objectweb.asm";
	private static final String[] COUNTER = {"WhyhotCounter", "WhyhotCounter$Tally", "WhyhotCounter$Call", "WhyhotCounter$State", "WhyhotCounter$Shape", "WhyhotCounter$Known", "WhyhotCounter$1", "WhyhotCounter$2"};

	// The counter comes through these before it knows that it is itself that calls.
	private static final String[] LEFT = {"java.lang.Object", "java.lang.System", "java.lang.Thread", "java.lang.VirtualThread", "java.lang.ref.", "java.lang.invoke.", "java.util.concurrent.atomic.AtomicLong", "jdk.internal."};

	private static final class Wanted {
		String name, file, language = "";
	}

	private final List<Wanted> wanted = new ArrayList<>();
	private final Map<String, List<Integer>> byClass = new HashMap<>(); // by the name in class files
	private final Set<String> notCounted = Collections.synchronizedSet(new LinkedHashSet<>());
	private final Set<String> seen = Collections.synchronizedSet(new HashSet<>()); // classes that were to be changed
	private final Rewriter rewriter;
	private Instrumentation instrumentation;

	public static void begin(Instrumentation instrumentation) throws Exception {
		Module own = Transformer.class.getModule(), base = Object.class.getModule();
		Map<String, Set<Module>> exported = base.getPackages().contains(ASM) ? Map.of(ASM, Set.of(own)) : Map.of();
		instrumentation.redefineModule(base, Set.of(), exported, Map.of("java.lang", Set.of(own)), Set.of(), Map.of());
		Rewriter rewriter = rewriter(exported.isEmpty() ? "whyhot.ClassFileRewriter" : "whyhot.AsmRewriter");
		if (rewriter == null) {
			Agent.write("", Set.of("functions of Java: the program runs on Java " + Runtime.version().feature() + ", and the counter was compiled by a JDK of another version; put the program's own JDK first on PATH"));
			return;
		}
		MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup());
		for (String name : COUNTER) {
			try (InputStream in = Transformer.class.getResourceAsStream("/java/lang/" + name + ".class")) {
				lookup.defineClass(in.readAllBytes());
			}
		}
		new Transformer(rewriter).use(instrumentation);
	}

	private static Rewriter rewriter(String name) throws Exception {
		try {
			return (Rewriter) Class.forName(name).getDeclaredConstructor().newInstance();
		} catch (ClassNotFoundException | LinkageError e) {
			return null;
		}
	}

	private Transformer(Rewriter rewriter) throws Exception {
		this.rewriter = rewriter;
		for (Wanted w : new Reader(Files.readString(Paths.get(System.getenv("WHYHOT_COUNT_FUNCTIONS")), StandardCharsets.UTF_8)).list()) {
			if (!w.language.equals("java")) {
				continue;
			}
			String of = classOf(w.name);
			if (left(of) || boxes(w.name)) {
				notCounted.add(w.name + ": the counter itself uses this class");
				continue;
			}
			byClass.computeIfAbsent(of.replace('.', '/'), k -> new ArrayList<>()).add(wanted.size());
			wanted.add(w);
		}
	}

	private static boolean left(String of) {
		for (String l : LEFT) {
			if (of.startsWith(l)) {
				return l.endsWith(".") || of.equals(l) || l.equals("java.lang.Thread") || l.equals("java.lang.VirtualThread");
			}
		}
		return false;
	}

	/** Says whether it makes an object of a number: the arguments for the counter are made so. */
	private static boolean boxes(String name) {
		String without = withoutArguments(name);
		return without.startsWith("java.lang.") && (without.endsWith(".valueOf") || without.endsWith(".<init>"))
			&& List.of("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double", "Number").contains(without.substring(10, without.lastIndexOf('.')));
	}

	// A profile names a method as "void java.util.HashMap.putMapEntries(java.util.Map, boolean)"; what other tools write, as "java/util/HashMap.put" or "Ljava/util/HashMap;::put", has no arguments.

	private static String withoutArguments(String name) {
		int end = name.indexOf('(');
		if (end >= 0) {
			return name.substring(name.indexOf(' ') < end ? name.indexOf(' ') + 1 : 0, end);
		}
		if (name.startsWith("L")) {
			name = name.substring(1);
		}
		return name.replace(";::", ".").replace("::", ".").replace('/', '.');
	}

	private static String classOf(String name) {
		name = withoutArguments(name);
		return name.substring(0, Math.max(0, name.lastIndexOf('.')));
	}

	/** Says whether a profile's name is that of a method of the class that it names. */
	private static boolean is(String name, String method, String descriptor) {
		String without = withoutArguments(name);
		if (!without.substring(without.lastIndexOf('.') + 1).equals(method)) {
			return false;
		}
		int begin = name.indexOf('(');
		if (begin < 0) {
			return true;
		}
		int[] at = {1};
		StringBuilder arguments = new StringBuilder("(");
		while (descriptor.charAt(at[0]) != ')') {
			arguments.append(at[0] > 1 ? ", " : "").append(type(descriptor, at));
		}
		at[0]++;
		String given = type(descriptor, at) + " ";
		return name.substring(begin).equals(arguments + ")") && (name.indexOf(' ') > begin || name.startsWith(given));
	}

	private static String type(String descriptor, int[] at) {
		switch (descriptor.charAt(at[0]++)) {
		case 'V':
			return "void";
		case 'Z':
			return "boolean";
		case 'B':
			return "byte";
		case 'C':
			return "char";
		case 'S':
			return "short";
		case 'I':
			return "int";
		case 'J':
			return "long";
		case 'F':
			return "float";
		case 'D':
			return "double";
		case '[':
			return type(descriptor, at) + "[]";
		default:
			int begin = at[0], end = descriptor.indexOf(';', begin);
			at[0] = end + 1;
			return descriptor.substring(begin, end).replace('/', '.');
		}
	}

	private void use(Instrumentation instrumentation) throws Exception {
		this.instrumentation = instrumentation;
		boolean[] constructors = new boolean[wanted.size()];
		for (int i = 0; i < constructors.length; i++) {
			constructors[i] = withoutArguments(wanted.get(i).name).endsWith(".<init>");
		}
		WhyhotCounter.begin(constructors);
		WhyhotCounter.quiet(true);
		try {
			Runtime.getRuntime().addShutdownHook(new Thread(this::write, "whyhot"));
			warm();
			instrumentation.addTransformer(this, true);
			for (Class<?> c : missed()) {
				try {
					instrumentation.retransformClasses(c);
				} catch (Throwable e) {
					notCounted.add("functions of " + c.getName() + ": the JVM does not take the changed class: " + e);
				}
			}
		} catch (Throwable e) {
			notCounted.add("functions of classes that the JVM starts with: " + e);
		} finally {
			WhyhotCounter.quiet(false);
		}
	}

	/** Changes a class for nothing: those that are loaded for that while another is changed, the JVM does not let be changed, or they would have to be there for it already. */
	private void warm() throws Exception {
		try (InputStream in = Transformer.class.getResourceAsStream("Transformer.class")) {
			Map<String, Integer> all = new HashMap<>() {
				@Override
				public Integer get(Object key) {
					is("void whyhot.Transformer.transform(int)", (String) key, "(I)V");
					return 0;
				}
			};
			rewriter.rewrite(in.readAllBytes(), Transformer.class.getClassLoader(), all, (number, why) -> { });
		}
	}

	/** The classes with wanted methods that are loaded and were never seen. */
	private List<Class<?>> missed() {
		List<Class<?>> all = new ArrayList<>();
		for (Class<?> c : instrumentation.getAllLoadedClasses()) {
			String name = c.getName().replace('.', '/');
			if (byClass.containsKey(name) && !seen.contains(name)) {
				all.add(c);
			}
		}
		return all;
	}

	@Override
	public void method(int number, String why) {
		notCounted.add(wanted.get(number).name + ": " + why);
	}

	@Override
	public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] text) {
		if (name == null) {
			return null;
		}
		boolean before = WhyhotCounter.quiet(true);
		try {
			List<Integer> of = byClass.get(name);
			if (of == null) {
				return null;
			}
			seen.add(name);
			return rewriter.rewrite(text, loader, new Methods(of), this);
		} catch (Throwable e) {
			notCounted.add("functions of " + name.replace('/', '.') + ": the class cannot be changed: " + e);
			return null;
		} finally {
			WhyhotCounter.quiet(before);
		}
	}

	/** The wanted methods of a class by name and descriptor. */
	private final class Methods extends HashMap<String, Integer> {
		private final transient List<Integer> of;

		Methods(List<Integer> of) {
			this.of = of;
		}

		@Override
		public Integer get(Object key) {
			String method = (String) key;
			int begin = method.indexOf('(');
			for (int i : of) {
				if (is(wanted.get(i).name, method.substring(0, begin), method.substring(begin))) {
					return i;
				}
			}
			return null;
		}
	}

	private void write() {
		WhyhotCounter.quiet(true);
		for (Class<?> c : missed()) {
			notCounted.add("functions of " + c.getName() + ": the class was loaded when it could not be changed");
		}
		String[] keys = {"count", "looked", "different", "repeated", "same", "results", "nothing", "plain", "cyclic", "first_time", "again_time"};
		StringBuilder s = new StringBuilder();
		for (int i = 0; i < wanted.size(); i++) {
			Wanted w = wanted.get(i);
			long[] counted = WhyhotCounter.counted(i);
			s.append(i == 0 ? "" : ", ").append("{\"name\": ").append(Agent.quoted(w.name)).append(", \"file\": ").append(Agent.quoted(w.file));
			for (int k = 0; k < keys.length; k++) {
				s.append(", \"").append(keys[k]).append("\": ").append(counted[k]);
			}
			s.append(", \"times\": [");
			for (int k = keys.length; k < counted.length; k++) {
				s.append(k == keys.length ? "" : ", ").append(counted[k]);
			}
			s.append("]}");
		}
		synchronized (notCounted) {
			Agent.write(s.toString(), notCounted);
		}
	}

	/** Reads the list of functions: objects of texts and numbers, in JSON. */
	private static final class Reader {
		private final String text;
		private int at;

		Reader(String text) {
			this.text = text;
		}

		List<Wanted> list() {
			List<Wanted> all = new ArrayList<>();
			for (at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
				Wanted w = new Wanted();
				at++;
				while (text.charAt(at) != '}') {
					if (text.charAt(at) == ',') {
						at++;
					}
					String key = string();
					at++; // the colon
					String value = text.charAt(at) == '"' ? string() : number();
					switch (key) {
					case "name":
						w.name = value;
						break;
					case "file":
						w.file = value;
						break;
					case "language":
						w.language = value;
						break;
					default:
					}
				}
				all.add(w);
			}
			return all;
		}

		private String number() {
			int begin = at;
			while (Character.isDigit(text.charAt(at)) || text.charAt(at) == '-') {
				at++;
			}
			return text.substring(begin, at);
		}

		private String string() {
			StringBuilder s = new StringBuilder();
			for (at++; text.charAt(at) != '"'; at++) {
				char c = text.charAt(at);
				if (c != '\\') {
					s.append(c);
					continue;
				}
				c = text.charAt(++at);
				if (c == 'u') {
					s.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
					at += 4;
				} else {
					int known = "bfnrt".indexOf(c);
					s.append(known < 0 ? c : "\b\f\n\r\t".charAt(known));
				}
			}
			at++;
			return s.toString();
		}
	}
}
