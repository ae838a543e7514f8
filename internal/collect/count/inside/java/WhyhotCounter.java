package java.lang;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.BaseStream;

/**
 * What the changed methods call. It stands in java.lang, because that is what every loader of
 * classes, whatever it does else, takes from the JVM, and because from there what collections
 * of the JDK wrap can be read.
 *
 * It never calls what a program wrote: no equals, no hashCode, no iterator of its classes. Of
 * arguments and results only hashes are kept, and nothing is kept alive.
 */
public final class WhyhotCounter {
	private static final int MOST = 1 << 16; // different arguments of a function
	private static final int LONGEST = 64; // items of a container that are looked at: half of them the last
	private static final int WALKED = 4096; // items of a container that has no short way to its last ones
	private static final int KNOWN = 1 << 18; // objects that are told apart by which they are
	private static final int MANY = 1 << 16; // calls of a function, after which only some are timed
	private static final int TIMED = 16; // one in so many, by chance, of those that are not looked at: asking for the time takes longer than all else
	private static final long PASSING = 10; // ns in here of a call that is neither looked at nor timed, about
	private static final int WARM = 20_000; // calls after which the JVM has compiled what is called
	private static final int DEEPEST = 1 << 20; // calls in calls
	private static final long ENOUGH = 1_000_000_000; // ns of looking at a function, before fewer of its calls are looked at

	/** What was counted of a function. But for count and times, all is guarded by the object. */
	private static final class Tally {
		final AtomicLong count = new AtomicLong();
		final AtomicLongArray times = new AtomicLongArray(64); // ns of the calls from 2**i on, up to those from 2**(i+1) on
		final HashMap<Long, long[]> first = new HashMap<>(); // hash of arguments: hash of the first result, number of the last call, distance to the one before
		final HashSet<Long> results = new HashSet<>();
		final boolean constructor;
		volatile long stride = 1;
		volatile boolean full;
		long looked, repeated, same, nothing, plain, cyclic, spent;
		long firstTime, againTime; // ns of the calls that are looked at: with new arguments, with known ones

		Tally(boolean constructor) {
			this.constructor = constructor;
		}
	}

	/** A call that has not ended. */
	private static final class Call {
		int function, nested, outer, weight;
		long number, started, arguments, spent, took;
		boolean looked;
		int[] passed; // hashes of which objects were passed
		final State state; // of the thread

		Call(State state) {
			this.state = state;
		}
	}

	/** What a thread has. */
	private static final class State {
		boolean busy; // in here: what the counter itself calls is not counted
		Call[] calls = new Call[16];
		int depth;
		long wasted; // ns in here: the calls that are counted do not take that
		final int[] nested = new int[tallies.length]; // calls of each function that have not ended, more or less
		final int[] kept = new int[tallies.length]; // of these, the number of the last one that is in calls
		int chance = System.identityHashCode(this) | 1;

		/** Says whether a call is timed for many. */
		boolean timed() {
			chance ^= chance << 13;
			chance ^= chance >>> 17;
			chance ^= chance << 5;
			return (chance & TIMED - 1) == 0;
		}

		Call push(int function, long number) {
			if (depth == DEEPEST) { // no stack is as deep: these are calls that never told that they ended
				depth = 0;
				Arrays.fill(kept, 0);
			}
			if (depth == calls.length) {
				calls = Arrays.copyOf(calls, 2 * depth);
			}
			Call c = calls[depth];
			if (c == null) {
				c = calls[depth] = new Call(this);
			}
			depth++;
			c.function = function;
			c.nested = nested[function];
			c.outer = kept[function];
			kept[function] = c.nested;
			c.number = number;
			c.weight = 1;
			c.looked = false;
			c.passed = null;
			return c;
		}

		/** The call that ends, null where it is not kept. A constructor that failed before it called that of its superclass never told. */
		Call pop(int function, int nested) {
			if (kept[function] != nested) {
				return null;
			}
			while (depth > 0) {
				Call c = calls[--depth];
				kept[c.function] = c.outer;
				if (c.function == function && c.nested == nested) {
					return c;
				}
			}
			return null;
		}
	}

	private static final ThreadLocal<State> LOCAL = new ThreadLocal<State>() {
		@Override
		protected State initialValue() {
			return new State();
		}
	};
	private static Tally[] tallies = {};
	private static long clockCost; // ns of asking for the time

	private WhyhotCounter() {}

	/** Begins; constructors says which functions are that. */
	public static void begin(boolean[] constructors) {
		int none = constructors.length;
		Tally[] all = new Tally[none + 1];
		all[none] = new Tally(false);
		for (int i = 0; i < none; i++) {
			all[i] = new Tally(constructors[i]);
		}
		clockCost = Long.MAX_VALUE;
		for (int round = 0; round < 20; round++) {
			long begin = System.nanoTime();
			for (int i = 0; i < 999; i++) {
				System.nanoTime();
			}
			clockCost = Math.min(clockCost, (System.nanoTime() - begin) / 1000);
		}
		tallies = all;
		// What is called only for this is compiled before the program begins: else its first calls
		// would seem to take longer than later ones.
		for (int i = 0; i < WARM; i++) {
			if (enter(none)) {
				given(new Object[] {LOCAL, i}, none);
			}
			leave(i, none);
		}
	}

	/** Says that this thread begins or ends to do what is not the program's; gives what it did before. */
	public static boolean quiet(boolean on) {
		State s = LOCAL.get();
		boolean before = s.busy;
		s.busy = on;
		return before;
	}

	/** A function is called; gives whether its arguments are to be looked at. */
	public static boolean enter(int function) {
		State s = LOCAL.get();
		if (s.busy) {
			return false;
		}
		Tally t = tallies[function];
		long number = t.count.incrementAndGet();
		boolean looked = !t.full && (number & t.stride - 1) == 0;
		s.nested[function]++;
		boolean many = number > MANY && !looked && !t.constructor;
		if (many && !s.timed()) {
			s.wasted += PASSING;
			return false;
		}
		s.busy = true;
		try {
			long now = System.nanoTime();
			Call c = s.push(function, number);
			if (many) {
				c.weight = TIMED;
			}
			if (looked) {
				c.looked = true;
				c.spent = 0;
				c.arguments = 0;
				c.started = now; // until the arguments are there
			} else {
				c.started = now - s.wasted;
			}
		} catch (Throwable e) {
			looked = false; // no stack or no memory is left, of which the program will hear itself
		} finally {
			s.busy = false;
		}
		return looked;
	}

	/** The arguments of the call that just began. */
	public static void given(Object[] values, int function) {
		State s = LOCAL.get();
		s.busy = true;
		try {
			Call c = s.calls[s.depth - 1];
			long begin = c.started;
			long h = values.length;
			int[] passed = new int[values.length];
			for (int i = 0; i < values.length; i++) {
				Object v = values[i];
				h = mix(h, hash(v, 2, false));
				passed[i] = v == null || simple(v) ? -1 : System.identityHashCode(v);
			}
			c.arguments = h;
			c.passed = passed;
			long end = System.nanoTime();
			c.spent = end - begin;
			s.wasted += c.spent + PASSING;
			c.started = end - s.wasted;
		} catch (Throwable e) {
			s.calls[s.depth - 1].looked = false;
		} finally {
			s.busy = false;
		}
	}

	public static void leave(int function) { // of void
		left(function, null);
	}

	public static void leave(Object value, int function) {
		left(function, value);
	}

	public static void leave(boolean value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	// A number is boxed only where the call was looked at; the thread is busy then.

	public static void leave(int value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	public static void leave(long value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	public static void leave(float value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	public static void leave(double value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	public static void leave(char value, int function) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	/** An exception leaves the function. */
	public static void fail(int function) {
		left(function, null);
	}

	private static void left(int function, Object value) {
		Call c = ends(function);
		if (c != null) {
			try {
				look(c, value);
			} catch (Throwable e) { // no stack is left to call that
				c.state.busy = false;
			}
		}
	}

	/** A call ends; it is given where it is looked at, and the thread is busy then. */
	private static Call ends(int function) {
		State s = LOCAL.get();
		if (s.busy) {
			return null;
		}
		int nested = s.nested[function]--;
		Call c = s.pop(function, nested);
		if (c == null) {
			return null;
		}
		s.busy = true;
		Call looked = null;
		try {
			long now = System.nanoTime();
			c.took = Math.max(0, now - s.wasted - c.started - clockCost);
			tallies[function].times.addAndGet(63 - Long.numberOfLeadingZeros(c.number), c.weight * c.took);
			if (c.looked) {
				c.started = now;
				looked = c;
			} else {
				s.wasted += 2 * clockCost + PASSING;
			}
		} catch (Throwable e) {
			return null;
		} finally {
			s.busy = looked != null;
		}
		return looked;
	}

	private static void look(Call c, Object value) {
		State s = LOCAL.get();
		try {
			if (c.passed == null) { // no stack was left to give its arguments
				return;
			}
			Tally t = tallies[c.function];
			long result = 0; // of what is no result
			boolean none = !t.constructor && none(value, c.passed);
			boolean plain = false;
			if (!t.constructor && !none) {
				plain = value instanceof Boolean || value instanceof Number && simple(value);
				result = hash(value, 3, true);
				result = result == 0 ? 1 : result;
			}
			synchronized (t) {
				t.looked++;
				if (none) {
					t.nothing++;
				}
				if (plain) {
					t.plain++;
				}
				if (result != 0 && t.results.size() < MOST) {
					t.results.add(result);
				}
				Long key = c.arguments;
				long[] known = t.first.get(key);
				if (known == null) {
					t.first.put(key, new long[] {result, t.looked, 0});
					t.firstTime += c.took;
					t.full = t.first.size() >= MOST;
				} else {
					long distance = t.looked - known[1];
					t.repeated++;
					t.againTime += c.took;
					if (known[0] == result) {
						t.same++;
					}
					if (known[2] == distance && 2 * distance >= t.first.size()) {
						t.cyclic++;
					}
					known[1] = t.looked;
					known[2] = distance;
				}
				t.spent += c.spent + System.nanoTime() - c.started;
				if (t.spent > ENOUGH * (64 - Long.numberOfLeadingZeros(t.stride))) {
					t.stride *= 2;
				}
			}
			s.wasted += System.nanoTime() - c.started + 2 * clockCost;
		} catch (Throwable e) {
			// no stack or no memory is left, of which the program will hear itself
		} finally {
			s.busy = false;
		}
	}

	/** Says whether a value is none that a caller could keep: nothing, what was passed, or what is used up. */
	private static boolean none(Object value, int[] passed) {
		if (value == null) {
			return true;
		}
		if (simple(value)) {
			return false;
		}
		if (value instanceof Iterator || value instanceof BaseStream || value instanceof Future || value instanceof Enumeration || value instanceof java.io.InputStream) {
			return true;
		}
		if (passed != null) {
			int which = System.identityHashCode(value);
			for (int p : passed) {
				if (p == which) {
					return true;
				}
			}
		}
		return false;
	}

	private static boolean simple(Object v) {
		Class<?> c = v.getClass();
		return c == String.class || c == Integer.class || c == Long.class || c == Boolean.class || c == Character.class
			|| c == Double.class || c == Float.class || c == Byte.class || c == Short.class;
	}

	private static long mix(long h, long v) {
		h = (h ^ v) * 0x9E3779B97F4A7C15L;
		return h ^ h >>> 29;
	}

	private static long hash(String text) {
		long h = text.length();
		int n = text.length();
		for (int i = 0; i < n; i++) {
			h = h * 0x5851F42D4C957F2DL + text.charAt(i);
		}
		return mix(h, n);
	}

	/**
	 * A hash of what a value is made of, where it is of a type of the JDK that holds values; else
	 * of which it is, or, for results, of what is inside.
	 */
	private static long hash(Object v, int depth, boolean inside) {
		if (v == null) {
			return 0x6E756C6CL;
		}
		Class<?> c = v.getClass();
		if (c == String.class) {
			return hash((String) v);
		}
		if (c == Integer.class) {
			return mix(1, (Integer) v);
		}
		if (c == Long.class) {
			return mix(2, (Long) v);
		}
		if (c == Boolean.class) {
			return mix(3, (Boolean) v ? 1 : 0);
		}
		if (c == Character.class) {
			return mix(4, (Character) v);
		}
		if (c == Double.class) {
			return mix(5, Double.doubleToRawLongBits((Double) v));
		}
		if (c == Float.class) {
			return mix(6, Float.floatToRawIntBits((Float) v));
		}
		if (c == Byte.class) {
			return mix(7, (Byte) v);
		}
		if (c == Short.class) {
			return mix(8, (Short) v);
		}
		Shape shape = SHAPES.get(c);
		if (shape.kind == ENUM) {
			return mix(shape.seed, ((Enum<?>) v).ordinal());
		}
		if (shape.kind == NUMBERS) {
			return numbers(v, shape.seed);
		}
		if (depth > 0) {
			try {
				switch (shape.kind) {
				case ARRAY:
					return items((Object[]) v, shape.seed, depth - 1, inside);
				case LIST:
					return items((Collection<?>) v, shape.seed, depth - 1, inside);
				case SET:
					return entries((Collection<?>) v, shape.seed, depth - 1, inside);
				case MAP:
					return entries((Map<?, ?>) v, shape.seed, depth - 1, inside);
				case WRAPPER: // what is wrapped, as deep as that is
					return mix(shape.seed, hash(shape.fields[0].get(v), depth, inside));
				default:
					if (inside && shape.fields != null) {
						long h = shape.seed;
						for (Field f : shape.fields) {
							h = mix(h, hash(f.get(v), depth - 1, true));
						}
						return h;
					}
				}
			} catch (Exception e) {
				// another thread changes it: which it is has to do
			}
		}
		return mix(shape.seed, identity(v));
	}

	private static long numbers(Object v, long h) {
		if (v instanceof byte[]) {
			byte[] a = (byte[]) v;
			for (byte x : a) {
				h = h * 0x5851F42D4C957F2DL + x;
			}
			return mix(h, a.length);
		}
		if (v instanceof char[]) {
			char[] a = (char[]) v;
			for (char x : a) {
				h = h * 0x5851F42D4C957F2DL + x;
			}
			return mix(h, a.length);
		}
		if (v instanceof int[]) {
			int[] a = (int[]) v;
			for (int x : a) {
				h = h * 0x5851F42D4C957F2DL + x;
			}
			return mix(h, a.length);
		}
		if (v instanceof long[]) {
			long[] a = (long[]) v;
			for (long x : a) {
				h = mix(h, x);
			}
			return mix(h, a.length);
		}
		if (v instanceof double[]) {
			double[] a = (double[]) v;
			for (double x : a) {
				h = mix(h, Double.doubleToRawLongBits(x));
			}
			return mix(h, a.length);
		}
		if (v instanceof float[]) {
			float[] a = (float[]) v;
			for (float x : a) {
				h = h * 0x5851F42D4C957F2DL + Float.floatToRawIntBits(x);
			}
			return mix(h, a.length);
		}
		if (v instanceof short[]) {
			short[] a = (short[]) v;
			for (short x : a) {
				h = h * 0x5851F42D4C957F2DL + x;
			}
			return mix(h, a.length);
		}
		boolean[] a = (boolean[]) v;
		for (boolean x : a) {
			h = h * 0x5851F42D4C957F2DL + (x ? 1 : 2);
		}
		return mix(h, a.length);
	}

	private static long items(Object[] a, long seed, int depth, boolean inside) {
		long h = mix(seed, a.length);
		for (int i = 0; i < a.length; i++) {
			if (i == LONGEST / 2 && a.length > LONGEST) {
				i = a.length - LONGEST / 2;
			}
			h = mix(h, hash(a[i], depth, inside));
		}
		return h;
	}

	private static long items(Collection<?> c, long seed, int depth, boolean inside) {
		int n = c.size();
		long h = mix(seed, n);
		Iterator<?> each = c.iterator();
		int before = n > LONGEST ? LONGEST / 2 : n;
		for (int i = 0; i < before && each.hasNext(); i++) {
			h = mix(h, hash(each.next(), depth, inside));
		}
		if (n > LONGEST && c instanceof List) {
			each = ((List<?>) c).listIterator(n - LONGEST / 2);
			while (each.hasNext()) {
				h = mix(h, hash(each.next(), depth, inside));
			}
		}
		return h;
	}

	// Sets and maps have the same content in any order.

	private static long entries(Collection<?> c, long seed, int depth, boolean inside) {
		int n = c.size(), i = 0;
		long sum = 0;
		for (Object v : c) {
			if (wanted(i++, n)) {
				sum += mix(0, hash(v, depth, inside));
			} else if (n > WALKED) {
				break;
			}
		}
		return mix(mix(seed, n), sum);
	}

	private static long entries(Map<?, ?> m, long seed, int depth, boolean inside) {
		int n = m.size(), i = 0;
		long sum = 0;
		for (Map.Entry<?, ?> e : m.entrySet()) {
			if (wanted(i++, n)) {
				sum += mix(hash(e.getKey(), depth, inside), hash(e.getValue(), depth, inside));
			} else if (n > WALKED) {
				break;
			}
		}
		return mix(mix(seed, n), sum);
	}

	private static boolean wanted(int i, int n) {
		return n <= LONGEST || i < LONGEST / 2 || i >= n - LONGEST / 2 || n > WALKED && i < LONGEST;
	}

	private static final int OBJECT = 0, ENUM = 1, NUMBERS = 2, ARRAY = 3, LIST = 4, SET = 5, MAP = 6, WRAPPER = 7;

	/** How values of a class are looked at. */
	private static final class Shape {
		int kind;
		long seed;
		Field[] fields; // of an object whose inside can be read, or the one of a wrapper that holds what is wrapped
	}

	private static final ClassValue<Shape> SHAPES = new ClassValue<Shape>() {
		@Override
		protected Shape computeValue(Class<?> c) {
			return shape(c);
		}
	};

	// Collections that call nothing of the program, whatever they hold; its own subclasses may.
	private static final Set<String> LISTS = names("java.util.", "ArrayList", "LinkedList", "Vector", "Stack", "ArrayDeque", "Arrays$ArrayList",
		"ArrayList$SubList", "ImmutableCollections$ListN", "ImmutableCollections$List12", "ImmutableCollections$SubList",
		"Collections$EmptyList", "Collections$SingletonList", "Collections$CopiesList", "PriorityQueue",
		"concurrent.CopyOnWriteArrayList", "concurrent.ConcurrentLinkedQueue", "concurrent.ConcurrentLinkedDeque",
		"concurrent.ArrayBlockingQueue", "concurrent.LinkedBlockingQueue", "concurrent.LinkedBlockingDeque");
	private static final Set<String> SETS = names("java.util.", "HashSet", "LinkedHashSet", "TreeSet", "RegularEnumSet", "JumboEnumSet",
		"ImmutableCollections$SetN", "ImmutableCollections$Set12", "Collections$EmptySet", "Collections$SingletonSet",
		"HashMap$KeySet", "LinkedHashMap$LinkedKeySet", "HashMap$Values", "LinkedHashMap$LinkedValues",
		"concurrent.ConcurrentSkipListSet", "concurrent.ConcurrentHashMap$KeySetView");
	private static final Set<String> MAPS = names("java.util.", "HashMap", "LinkedHashMap", "TreeMap", "IdentityHashMap", "Hashtable", "EnumMap",
		"Properties", "ImmutableCollections$Map1", "ImmutableCollections$MapN", "Collections$EmptyMap", "Collections$SingletonMap",
		"concurrent.ConcurrentHashMap", "concurrent.ConcurrentSkipListMap");

	private static Set<String> names(String prefix, String... names) {
		Set<String> all = new HashSet<>();
		for (String n : names) {
			all.add(prefix + n);
		}
		return all;
	}

	private static Shape shape(Class<?> c) {
		Shape s = new Shape();
		String name = c.getName();
		s.seed = hash(name);
		boolean own = c.getClassLoader() != null;
		if (c.isArray()) {
			s.kind = c.getComponentType().isPrimitive() ? NUMBERS : ARRAY;
		} else if (Enum.class.isAssignableFrom(c)) {
			s.kind = ENUM;
			s.seed = hash((c.getSuperclass() == Enum.class ? c : c.getSuperclass()).getName());
		} else if (own) {
			s.fields = fields(c);
		} else if (LISTS.contains(name)) {
			s.kind = LIST;
		} else if (SETS.contains(name)) {
			s.kind = SET;
		} else if (MAPS.contains(name)) {
			s.kind = MAP;
		} else if (name.startsWith("java.util.Collections$Unmodifiable") || name.startsWith("java.util.Collections$Synchronized") || name.startsWith("java.util.Collections$Checked")) {
			s.fields = wrapped(c);
			s.kind = s.fields == null ? OBJECT : WRAPPER;
		} else if (name.startsWith("java.util.") && !name.startsWith("java.util.concurrent.") || name.startsWith("java.time.") || name.startsWith("java.math.")
			|| c == StringBuilder.class || c == StringBuffer.class) {
			s.fields = fields(c);
		}
		return s;
	}

	private static Field[] wrapped(Class<?> c) {
		for (; c != null; c = c.getSuperclass()) {
			for (String name : new String[] {"c", "m"}) {
				try {
					Field f = c.getDeclaredField(name);
					f.setAccessible(true);
					return new Field[] {f};
				} catch (ReflectiveOperationException | RuntimeException e) {
					// not here
				}
			}
		}
		return null;
	}

	/** The fields of objects of a class, null where they cannot be read. */
	private static Field[] fields(Class<?> c) {
		List<Field> all = new ArrayList<>();
		try {
			for (; c != null && c != Object.class; c = c.getSuperclass()) {
				boolean jdk = c.getClassLoader() == null;
				boolean holds = Collection.class.isAssignableFrom(c) || Map.class.isAssignableFrom(c);
				if (jdk && (c == Thread.class || c == ClassLoader.class)) {
					return null;
				}
				for (Field f : c.getDeclaredFields()) {
					if (Modifier.isStatic(f.getModifiers()) || jdk && passing(f, holds)) {
						continue;
					}
					f.setAccessible(true);
					if (all.size() < LONGEST) {
						all.add(f);
					}
				}
			}
		} catch (RuntimeException | LinkageError e) { // a module that is closed, or a class that is missing
			return null;
		}
		return all.toArray(new Field[0]);
	}

	/** Says whether a field of the JDK is no part of the value, but what was computed of it or done to it. */
	private static boolean passing(Field f, boolean holds) {
		String n = f.getName();
		if (holds) {
			return n.equals("modCount") || n.equals("keySet") || n.equals("values") || n.equals("entrySet");
		}
		return Modifier.isTransient(f.getModifiers()) || f.getDeclaringClass() == java.math.BigInteger.class && !n.equals("mag") && !n.equals("signum");
	}

	/** An object that is known by which it is, with its number. */
	private static final class Known extends WeakReference<Object> {
		final int hash;
		final long number;
		Known next;

		Known(Object v, int hash, long number, ReferenceQueue<Object> gone) {
			super(v, gone);
			this.hash = hash;
			this.number = number;
		}
	}

	private static final Object KNOWN_LOCK = new byte[0];
	private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
	private static Known[] known = new Known[KNOWN];
	private static int knownCount;
	private static long lastNumber;

	/** What tells an object from all others, also from one that later has its address. */
	private static long identity(Object v) {
		int hash = System.identityHashCode(v);
		synchronized (KNOWN_LOCK) {
			int at = (hash ^ hash >>> 15) & KNOWN - 1;
			for (Known k = known[at]; k != null; k = k.next) {
				if (k.hash == hash && k.get() == v) {
					return k.number;
				}
			}
			for (Known k = (Known) GONE.poll(); k != null; k = (Known) GONE.poll()) {
				forget(k);
			}
			if (knownCount >= KNOWN) {
				known = new Known[KNOWN];
				knownCount = 0;
			}
			Known k = new Known(v, hash, ++lastNumber, GONE);
			k.next = known[at];
			known[at] = k;
			knownCount++;
			return k.number;
		}
	}

	private static void forget(Known gone) {
		int at = (gone.hash ^ gone.hash >>> 15) & KNOWN - 1;
		Known before = null;
		for (Known k = known[at]; k != null; before = k, k = k.next) {
			if (k == gone) {
				if (before == null) {
					known[at] = k.next;
				} else {
					before.next = k.next;
				}
				knownCount--;
				return;
			}
		}
	}

	/** What was counted of a function: count, looked, different, repeated, same, results, nothing, plain, cyclic, first time, again time, and then the times. */
	public static long[] counted(int function) {
		Tally t = tallies[function];
		synchronized (t) {
			long count = t.count.get();
			int times = 64 - Long.numberOfLeadingZeros(count);
			long[] out = Arrays.copyOf(new long[] {count, t.looked, t.full ? 0 : t.first.size(), t.repeated, t.same, t.results.size(), t.nothing, t.plain, t.cyclic, t.firstTime, t.againTime}, 11 + times);
			for (int i = 0; i < times; i++) {
				out[11 + i] = t.times.get(i);
			}
			return out;
		}
	}
}
