import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts words in a HashMap and writes them with a StringBuilder: n log n, and a JIT's start. */
public class Counts {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Map<String, Integer> counts = new HashMap<>();
        long x = 1;
        for (int i = 0; i < n; i++) {
            x = (x * 1103515245L + 12345L) & 0x7fffffffL;
            counts.merge("w" + (x >> 10), 1, Integer::sum);
        }
        List<String> keys = new ArrayList<>(counts.keySet());
        Collections.sort(keys);
        StringBuilder out = new StringBuilder();
        for (String key : keys) {
            out.append(key).append('=').append(counts.get(key)).append('\n');
        }
        System.out.println(out.length());
    }
}
