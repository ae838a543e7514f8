package whyhot;

import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Collections;

/**
 * What the JVM starts. It is compiled for Java 8, so that a JVM that is too old for the rest
 * can say that instead of ending.
 */
public final class Agent {
	private Agent() {}

	public static void premain(String arguments, Instrumentation instrumentation) {
		if (System.getenv("WHYHOT_COUNT_FUNCTIONS") == null || System.getenv("WHYHOT_COUNT_RESULTS") == null) {
			return;
		}
		String version = System.getProperty("java.specification.version");
		try {
			if (version.startsWith("1.")) {
				write("", Collections.singleton("functions of Java: the program runs on Java " + version.substring(2) + ", and they are counted from Java 11 on"));
				return;
			}
			Class.forName("whyhot.Transformer").getMethod("begin", Instrumentation.class).invoke(null, instrumentation);
		} catch (Throwable e) {
			Throwable cause = e.getCause() == null ? e : e.getCause();
			write("", Collections.singleton("functions of Java: the counter does not work on Java " + version + ": " + cause));
		}
	}

	/** Writes what was counted, functions being the inside of a list in JSON. Where that fails, nothing is said: the process ends. */
	static void write(String functions, Collection<String> notCounted) {
		StringBuilder s = new StringBuilder("{\"language\": \"java\", \"functions\": [").append(functions).append("], \"not_counted\": [");
		String comma = "";
		for (String why : notCounted) {
			s.append(comma).append(quoted(why));
			comma = ", ";
		}
		s.append("]}");
		try {
			Path dir = Paths.get(System.getenv("WHYHOT_COUNT_RESULTS"));
			String name = Files.readSymbolicLink(Paths.get("/proc/self")) + ".json";
			Path part = dir.resolve(name + ".part");
			Files.write(part, s.toString().getBytes(StandardCharsets.UTF_8));
			Files.move(part, dir.resolve(name), StandardCopyOption.ATOMIC_MOVE);
		} catch (Exception e) {
			return;
		}
	}

	static String quoted(String text) {
		StringBuilder s = new StringBuilder("\"");
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"' || c == '\\') {
				s.append('\\').append(c);
			} else if (c < ' ' || Character.isSurrogate(c)) {
				s.append(String.format("\\u%04x", (int) c));
			} else {
				s.append(c);
			}
		}
		return s.append('"').toString();
	}
}
