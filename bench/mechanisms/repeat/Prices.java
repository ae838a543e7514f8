import java.text.NumberFormat;
import java.util.Locale;

public class Prices {
    static final NumberFormat KEPT = NumberFormat.getCurrencyInstance(Locale.GERMANY);

    static String price(int cents, boolean waste) {
        NumberFormat format = waste ? NumberFormat.getCurrencyInstance(Locale.GERMANY) : KEPT;
        return format.format(cents / 100.0);
    }

    public static void main(String[] a) {
        boolean waste = a[0].equals("waste");
        long sum = 0;
        for (int i = 0; i < 1_500_000; i++) sum += price(i, waste).length();
        System.out.println(sum);
    }
}
