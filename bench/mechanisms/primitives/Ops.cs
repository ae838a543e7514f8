// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

class Ops {
  static int length;
  static List<int> items = new List<int>();
  static List<string> names = new List<string>();
  static Dictionary<int, int> table = new Dictionary<int, int>();
  static StringBuilder built = new StringBuilder();
  static string text;
  static Dictionary<int, int> other = new Dictionary<int, int>();
  static long sink;

  static void Work(int i) { int v; other.TryGetValue(i % 64, out v); other[i % 64] = v + i % 7; }
  static void Member(int i) {
    if (items.Contains(-i - 1)) sink++; // WASTE member
  }
  static void Texts(int i) {
    if (names.Contains("none")) sink++; // WASTE texts
  }
  static void Index(int i) {
    sink += items.IndexOf(-i - 1); // WASTE index
  }
  static void First(int i) {
    sink += items.FirstOrDefault(v => v == -i - 1); // WASTE first
  }
  static void Any(int i) {
    if (items.Any(v => v == -i - 1)) sink++; // WASTE any
  }
  static void Find(int i) {
    sink += items.Find(v => v == -i - 1); // WASTE find
  }
  static void Nth(int i) {
    sink += table.ElementAt(length - 1).Value; // WASTE nth
  }
  static void Count(int i) {
    sink += items.Count(v => v > i); // WASTE count
  }
  static void Shift(int i) {
    items.Add(i);
    items.RemoveAt(0); // WASTE shift
  }
  static void Front(int i) {
    items.Insert(0, i); // WASTE front
    items.RemoveAt(items.Count - 1);
  }
  static void Copy(int i) {
    sink += items.ToList().Count; // WASTE copy
  }
  static void Concat(int i) {
    sink += items.Concat(new[] { i }).ToList().Count; // WASTE concat
  }
  static void Plus(int i) {
    string grown = text + i; // WASTE plus
    sink += grown.Length;
  }
  static void Rest(int i) {
    sink += text.Substring(1).Length; // WASTE rest
  }
  static void Behead(int i) {
    built.Append('a');
    built.Remove(0, 1); // WASTE behead
  }
  static void Built(int i) {
    sink += built.ToString().Length; // WASTE built
  }
  static void Last(int i) {
    sink += items.Where(v => v >= 0).Last(); // WASTE last
  }
  static void All(string op, int rounds) {
    var run = (Action<int>)Delegate.CreateDelegate(typeof(Action<int>), typeof(Ops).GetMethod(op, System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static));
    for (int i = 0; i < rounds; i++) {
      run(i);
      Work(i);
    }
  }
  static void Main(string[] args) {
    length = int.Parse(args[1]);
    for (int i = 0; i < length; i++) {
      items.Add(i * 3);
      names.Add("name " + i);
      table[i] = i;
      built.Append((char)('a' + i % 7));
    }
    text = built.ToString();
    All(char.ToUpper(args[0][0]) + args[0].Substring(1), int.Parse(args[2]));
    Console.WriteLine(sink);
  }
}
