import java.util.*;
import java.math.BigDecimal;

public class F {
    record Row(String name, BigDecimal price, Map<String, Integer> tags) {}

    static Row row(int i) {
        return new Row("n" + i, new BigDecimal(i).movePointLeft(2), new HashMap<>(Map.of("a", i, "b", i + 1)));
    }

    public static void main(String[] a) {
        long sum = 0;
        for (int i = 0; i < 12_000_000; i++) sum += row(i).tags().size();
        System.out.println(sum);
    }
}
