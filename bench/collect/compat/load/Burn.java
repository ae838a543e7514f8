public class Burn {
  static double inner(int n) { double s = 0; for (int i = 0; i < n; i++) s += Math.sqrt(i) * (i % 7); return s; }
  public static void main(String[] a) throws Exception {
    double t = 0;
    while (true) { t += inner(200000); Thread.sleep(3); if (t == 1) break; }
    System.out.println(t);
  }
}
