import java.io.*;
import java.lang.reflect.Method;
import java.text.Collator;
import java.text.SimpleDateFormat;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/** Pairs of habits in Java: java Pairs SIDE [TIMES]. run.py compares the CPU times of two sides. */
public class Pairs {
    public static class Row implements Serializable {
        public int id;
        public String name;
        public double score;
        public List<String> tags;

        public Row() {}

        Row(int i) {
            id = i;
            name = "user" + i;
            score = i * 1.37;
            tags = List.of("a", "b");
        }

        public int getId() {
            return id;
        }
    }

    static List<Row> rows(int n) {
        List<Row> out = new ArrayList<>();
        for (int i = 0; i < n; i++) out.add(new Row(i));
        return out;
    }

    static long parse(String s, boolean thrown) {
        if (thrown) {
            try {
                return Integer.parseInt(s);
            } catch (NumberFormatException e) {
                return -1;
            }
        }
        long v = 0;
        for (int i = 0; i < s.length(); i++) {
            int d = s.charAt(i) - '0';
            if (d < 0 || d > 9) return -1;
            v = v * 10 + d;
        }
        return v;
    }

    static long numbers(boolean thrown) {
        long n = 0;
        for (int i = 0; i < 1_500_000; i++) n += parse(i % 2 == 0 ? "n/a" : "1234", thrown);
        return n;
    }

    static long formatted(boolean format) {
        long n = 0;
        for (int i = 0; i < 900_000; i++) n += (format ? String.format("user=%d id=%s", i, "x") : "user=" + i + " id=x").length();
        return n;
    }

    static long boxed(boolean boxes) {
        long n = 0;
        int size = 1 << 20;
        if (boxes) {
            Map<Long, Long> m = new HashMap<>();
            for (long i = 0; i < 3_000_000; i++) m.merge(i * 7919 % 600_000, 1L, Long::sum);
            for (long v : m.values()) n += v;
            return n;
        }
        long[] keys = new long[size], values = new long[size];
        Arrays.fill(keys, -1);
        for (long i = 0; i < 3_000_000; i++) {
            long k = i * 7919 % 600_000;
            int at = (int) (k * 0x9E3779B97F4A7C15L >>> 44);
            while (keys[at] != -1 && keys[at] != k) at = (at + 1) & (size - 1);
            keys[at] = k;
            values[at]++;
        }
        for (long v : values) n += v;
        return n;
    }

    static long random(boolean shared) {
        Random r = new Random(1);
        long[] n = new long[1];
        Thread[] all = new Thread[4];
        for (int t = 0; t < 4; t++) {
            all[t] = new Thread(() -> {
                long s = 0;
                for (int i = 0; i < 5_000_000; i++) s += shared ? r.nextInt(100) : ThreadLocalRandom.current().nextInt(100);
                synchronized (n) {
                    n[0] += s;
                }
            });
            all[t].start();
        }
        for (Thread t : all)
            try {
                t.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        return n[0];
    }

    static final Pattern ROW = Pattern.compile("user(\\d+),([a-z]+)");

    static long regex(int how) {
        long n = 0;
        for (int i = 0; i < 400_000; i++) {
            String s = "user" + i + ",alpha";
            if (how == 0) n += Pattern.compile("user(\\d+),([a-z]+)").matcher(s).matches() ? 1 : 0;
            if (how == 1) n += ROW.matcher(s).matches() ? 1 : 0;
        }
        return n;
    }

    static long serial(boolean objects) throws IOException, ClassNotFoundException {
        long n = 0;
        for (int k = 0; k < 12; k++) {
            ByteArrayOutputStream b = new ByteArrayOutputStream();
            if (objects) {
                try (ObjectOutputStream o = new ObjectOutputStream(b)) {
                    for (Row r : rows(6000)) {
                        o.writeObject(r);
                        o.reset();
                    }
                }
                ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()));
                for (int i = 0; i < 6000; i++) n += ((Row) in.readObject()).id;
            } else {
                DataOutputStream o = new DataOutputStream(b);
                for (Row r : rows(6000)) {
                    o.writeInt(r.id);
                    o.writeUTF(r.name);
                    o.writeDouble(r.score);
                    o.writeInt(r.tags.size());
                    for (String t : r.tags) o.writeUTF(t);
                }
                DataInputStream in = new DataInputStream(new ByteArrayInputStream(b.toByteArray()));
                for (int i = 0; i < 6000; i++) {
                    Row r = new Row();
                    r.id = in.readInt();
                    r.name = in.readUTF();
                    r.score = in.readDouble();
                    r.tags = new ArrayList<>();
                    for (int t = in.readInt(); t > 0; t--) r.tags.add(in.readUTF());
                    n += r.id;
                }
            }
        }
        return n;
    }

    static long dates(boolean simple) throws java.text.ParseException {
        long n = 0;
        DateTimeFormatter f = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
        for (int i = 0; i < 150_000; i++) {
            String s = "2026-03-04 12:00:" + (10 + i % 40);
            if (simple) n += new SimpleDateFormat("yyyy-MM-dd HH:mm:ss").parse(s).getSeconds();
            else n += LocalDateTime.parse(s, f).getSecond();
        }
        return n;
    }

    static long reflect(boolean lookup) throws ReflectiveOperationException {
        long n = 0;
        Row r = new Row(3);
        Method kept = Row.class.getMethod("getId");
        for (int i = 0; i < 3_000_000; i++) {
            r.id = i & 7;
            n += (int) (lookup ? r.getClass().getMethod("getId") : kept).invoke(r);
        }
        return n;
    }

    static long collate(boolean keys) {
        Collator c = Collator.getInstance(Locale.GERMAN);
        List<String> w = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) w.add("Ärger " + (i * 7919L) % 60_013 + " user");
        if (keys) {
            List<java.text.CollationKey> k = new ArrayList<>();
            for (String s : w) k.add(c.getCollationKey(s));
            Collections.sort(k);
            return k.get(3).getSourceString().length();
        }
        w.sort(c);
        return w.get(3).length();
    }

    static long doubles(boolean text) {
        long n = 0;
        for (int i = 0; i < 1_500_000; i++) {
            if (text) n += (long) Double.parseDouble("1234" + (i % 1000) + ".56789");
            else n += Long.parseLong("1234" + (i % 1000)) + 56789 / 100_000;
        }
        return n;
    }

    static long garbage() {
        List<byte[]> kept = new ArrayList<>();
        long n = 0;
        for (int i = 0; i < 6_000_000; i++) {
            byte[] b = new byte[64 + i % 128];
            if (i % 40 == 0) {
                kept.add(b);
                if (kept.size() > 60_000) kept.subList(0, 30_000).clear();
            }
            n += b.length;
        }
        return n;
    }

    interface Side {
        long run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Side> sides = new TreeMap<>();
        sides.put("exceptions", () -> numbers(true));
        sides.put("no-exceptions", () -> numbers(false));
        sides.put("format", () -> formatted(true));
        sides.put("concatenate", () -> formatted(false));
        sides.put("boxed", () -> boxed(true));
        sides.put("primitive", () -> boxed(false));
        sides.put("random-shared", () -> random(true));
        sides.put("random-own", () -> random(false));
        sides.put("regex-each", () -> regex(0));
        sides.put("regex-once", () -> regex(1));
        sides.put("objects", () -> serial(true));
        sides.put("fields", () -> serial(false));
        sides.put("simple-date", () -> dates(true));
        sides.put("date-formatter", () -> dates(false));
        sides.put("reflect-lookup", () -> reflect(true));
        sides.put("reflect-kept", () -> reflect(false));
        sides.put("collator", () -> collate(false));
        sides.put("collation-keys", () -> collate(true));
        sides.put("parse-double", () -> doubles(true));
        sides.put("parse-long", () -> doubles(false));
        sides.put("garbage", Pairs::garbage);
        Side side = args.length > 0 ? sides.get(args[0]) : null;
        if (side == null) {
            System.err.println(String.join("\n", sides.keySet()));
            System.exit(2);
        }
        long n = 0;
        for (int i = args.length > 1 ? Integer.parseInt(args[1]) : 1; i > 0; i--) n += side.run();
        System.out.println(n);
    }
}
