import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

// A table is built, counted and joined.
public class Build {
    static int build(int n) {
        StringBuilder out = new StringBuilder();
        Map<String, Integer> count = new HashMap<>();
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            String row = "row " + i + ";" + i % 1000;
            rows.add(row);
            count.merge(row.substring(row.indexOf(';')), 1, Integer::sum);
            out.append(row).append('\n');
        }
        return out.length() + count.size() + rows.size();
    }

    public static void main(String[] args) {
        System.out.println(build(Integer.parseInt(args[0])));
    }
}
