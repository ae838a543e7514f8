import java.util.LinkedList;
import java.util.List;

/** Walks a LinkedList by index, which begins at an end each time. */
public class Walk {
    static long sum(List<Integer> list) {
        long sum = 0;
        for (int i = 0; i < list.size(); i++) {
            sum += list.get(i); // GROWS
        }
        return sum;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        List<Integer> list = new LinkedList<>();
        for (int i = 0; i < n; i++) {
            list.add(i);
        }
        System.out.println(sum(list));
    }
}
