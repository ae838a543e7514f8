// Rows of a table are added to a String.
public class Csv {
    static String csv(int n) {
        String out = "";
        for (int i = 0; i < n; i++) {
            out += i + ";" + Math.sqrt(i) + "\n"; // WASTE
        }
        return out;
    }

    public static void main(String[] args) {
        System.out.println(csv(Integer.parseInt(args[0])).length());
    }
}
