import java.util.*;

public final class Discounts {
    private static final String RATES = text();

    static String text() {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 300; i++) b.append("c").append(i).append('=').append(i % 17).append('\n');
        return b.toString();
    }

    static Map<String, Integer> discounts(String text) {
        Map<String, Integer> out = new TreeMap<>();
        for (String row : text.split("\n")) {
            int at = row.indexOf('=');
            out.put(row.substring(0, at), Integer.parseInt(row.substring(at + 1)));
        }
        return out;
    }

    static long settle(List<String[]> orders) {
        long sum = 0;
        for (String[] order : orders) {
            Map<String, Integer> table = discounts(RATES);  // WASTE
            sum += table.get(order[0]) * Long.parseLong(order[1]);
        }
        return sum;
    }

    public static void main(String[] args) {
        List<String[]> orders = new ArrayList<>();
        for (int i = 0; i < 80000; i++) orders.add(new String[] {"c" + i * 7 % 300, "" + i % 90});
        System.out.println(settle(orders));
    }
}
