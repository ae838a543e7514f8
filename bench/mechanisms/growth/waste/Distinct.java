import java.util.ArrayList;
import java.util.List;

// Distinct names by contains.
public class Distinct {
    static int distinct(int n) {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            String name = "name" + (i * 7919L % n);
            if (!seen.contains(name)) { // WASTE
                seen.add(name);
            }
        }
        return seen.size();
    }

    public static void main(String[] args) {
        System.out.println(distinct(Integer.parseInt(args[0])));
    }
}
