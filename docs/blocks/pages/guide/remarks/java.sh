#: needs javac
#: … => Main
cat > Main.java <<'JAVA'
public class Main {
  public static void main(String[] args) {
    long total = 0;
    for (int i = 0; i < 50_000_000; i++) total += i ^ (total >> 3);
    System.out.println(total);
  }
}
JAVA
javac Main.java
recorded cpu.pb.gz java -cp . Main
