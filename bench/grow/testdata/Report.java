import java.util.ArrayList;
import java.util.List;

/** Writes a report by adding to a String, which copies it each time. */
public class Report {
    static List<String> lines(int n) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            lines.add(String.format("%d;%s", i, Integer.toHexString(i)));
        }
        return lines;
    }

    static String render(List<String> lines) {
        String out = "";
        for (String line : lines) {
            out += line + "\n"; // GROWS
        }
        return out;
    }

    public static void main(String[] args) {
        System.out.println(render(lines(Integer.parseInt(args[0]))).length());
    }
}
