import java.util.Arrays;

// Pages are copied for each reader, which is what it is for.
public class Copies {
    public static void main(String[] args) {
        byte[] page = new byte[1 << 16];
        long sum = 0;
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            page[i % page.length]++;
            byte[] mine = Arrays.copyOf(page, page.length);
            for (int k = 0; k < mine.length; k += 4) {
                sum += mine[k];
            }
        }
        System.out.println(sum);
    }
}
