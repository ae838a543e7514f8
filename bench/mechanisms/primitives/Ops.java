// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

public class Ops {
  static int length;
  static List<Integer> items = new ArrayList<>();
  static List<Integer> linked = new LinkedList<>();
  static List<Integer> concurrent;
  static Map<Integer, Integer> table = new HashMap<>();
  static StringBuilder built = new StringBuilder();
  static String text;
  static long[] other = new long[64];
  static long sink;

  static void work(int i) {
    other[i % 64] += String.valueOf(i % 7).hashCode();
  }
  static void member(int i) {
    if (items.contains(-i - 1)) sink++; // WASTE member
  }
  static void index(int i) {
    sink += items.indexOf(-i - 1); // WASTE index
  }
  static void shift(int i) {
    items.add(i);
    items.remove(0); // WASTE shift
  }
  static void front(int i) {
    items.add(0, i); // WASTE front
    items.remove(items.size() - 1);
  }
  static void nth(int i) {
    sink += linked.get(length / 2); // WASTE nth
  }
  static void copy(int i) {
    List<Integer> all = new ArrayList<>(items); // WASTE copy
    sink += all.size();
  }
  static void immutable(int i) {
    sink += List.copyOf(items).size(); // WASTE immutable
  }
  static void string(int i) {
    String grown = text + i; // WASTE string
    sink += grown.length();
  }
  static void rest(int i) {
    sink += text.substring(1).length(); // WASTE rest
  }
  static void behead(int i) {
    built.append('a');
    built.deleteCharAt(0); // WASTE behead
  }
  static void insert(int i) {
    built.insert(0, 'a'); // WASTE insert
    built.setLength(length);
  }
  static void built(int i) {
    sink += built.toString().length(); // WASTE built
  }
  static void cow(int i) {
    concurrent.set(0, i); // WASTE cow
  }
  static void map(int i) {
    sink += new HashMap<>(table).size(); // WASTE map
  }
  static void values(int i) {
    if (table.containsValue(-i - 1)) sink++; // WASTE values
  }
  static void stream(int i) {
    sink += items.stream().filter(v -> v == i).count(); // WASTE stream
  }
  static void collected(int i) {
    sink += items.stream().collect(Collectors.toList()).size(); // WASTE collected
  }
  static void find(int i) {
    sink += text.indexOf("qq"); // WASTE find
  }
  static void chars(int i) {
    sink += text.toCharArray().length; // WASTE chars
  }
  static void sum(int i) {
    int max = Collections.max(items); // WASTE sum
    sink += max;
  }
  static void all(String op, int rounds) throws Exception {
    java.util.function.IntConsumer run = switch (op) {
      case "member" -> Ops::member;
      case "index" -> Ops::index;
      case "shift" -> Ops::shift;
      case "front" -> Ops::front;
      case "nth" -> Ops::nth;
      case "copy" -> Ops::copy;
      case "immutable" -> Ops::immutable;
      case "string" -> Ops::string;
      case "rest" -> Ops::rest;
      case "behead" -> Ops::behead;
      case "insert" -> Ops::insert;
      case "built" -> Ops::built;
      case "cow" -> Ops::cow;
      case "map" -> Ops::map;
      case "values" -> Ops::values;
      case "stream" -> Ops::stream;
      case "collected" -> Ops::collected;
      case "find" -> Ops::find;
      case "chars" -> Ops::chars;
      default -> Ops::sum;
    };
    for (int i = 0; i < rounds; i++) {
      run.accept(i);
      work(i);
    }
  }
  public static void main(String[] args) throws Exception {
    length = Integer.parseInt(args[1]);
    for (int i = 0; i < length; i++) {
      items.add(i * 3);
      linked.add(i);
      table.put(i, i);
      built.append((char) ('a' + i % 7));
    }
    concurrent = new CopyOnWriteArrayList<>(items);
    text = built.toString();
    all(args[0], Integer.parseInt(args[2]));
    System.out.println(sink);
  }
}
