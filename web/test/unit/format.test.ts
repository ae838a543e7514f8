import { costs } from "../../src/format/bill";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitName, shortName, splitName } from "../../src/format/name";
import {
  counted,
  duration,
  integer,
  percent,
  percentError,
  quantity,
} from "../../src/format/number";

test("names lose what rarely tells frames apart", () => {
  const names: Record<string, string> = {
    "com.fasterxml.jackson.databind.ObjectMapper.readValue": "ObjectMapper.readValue",
    "java.util.concurrent.ForkJoinPool$WorkQueue.run": "ForkJoinPool$WorkQueue.run",
    "main.Type.Method": "main.Type.Method",
    "os.path.join": "os.path.join",
    malloc: "malloc",
    "malloc@@GLIBC_2.2.5": "malloc",
    "std::vector<int, std::allocator<int> >::push_back(int const&)": "std::vector<…>::push_back",
    "void std::sort<int*, std::less<int> >(int*, int*, std::less<int>)": "std::sort<…>",
    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char const*)":
      "std::string::append",
    "(anonymous namespace)::run(int)": "{anon}::run",
    "foo(int)::{lambda(std::vector<int>)#1}::operator()(std::vector<int>) const":
      "foo::{lambda#1}::operator()",
    "operator new(unsigned long)": "operator new",
    "bool operator< <int>(A<int> const&, A<int> const&)": "operator< <…>",
    "std::ostream& std::operator<< <char>(std::ostream&, char)": "std::operator<< <…>",
    "Foo::operator->() const": "Foo::operator->",
    "Foo::operator()(int)": "Foo::operator()",
    "Foo::operator bool() const": "Foo::operator bool",
    "hash_sort.constprop.0": "hash_sort",
    "fold [clone .isra.0]": "fold",
    "core::ptr::drop_in_place::h0123456789abcdef": "core::ptr::drop_in_place",
    "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop": "<Vec as Drop>::drop",
    "serde::de::Deserializer::visit<T>": "serde::de::Deserializer::visit<…>",
    "github.com/acme/shop/cart.(*Cart).Add": "cart.(*Cart).Add",
    "encoding/json.(*decodeState).object": "json.(*decodeState).object",
    "main.main.func1": "main.main.func1",
    "main.(*Cart).Add": "main.(*Cart).Add",
    "java/lang/String.hashCode": "String.hashCode",
    "com.acme.shop.Cart$Line.sum(Ljava/util/Map<Ljava/lang/String;+Ljava/lang/Number;>;[IZ)V":
      "Cart$Line.sum",
    "github.com/acme/shop/cart.(*Set[go.shape.struct { Name string; Ids []uint64 }]).Add.func1":
      "cart.(*Set[…]).Add.func1",
    "slices.SortFunc[go.shape.[]uint8,go.shape.[]string]": "slices.SortFunc[…]",
    "Acme.Shop.Cart.<FillAsync>d__51.MoveNext()": "Acme.Shop.Cart.<FillAsync>d__51.MoveNext",
    "Ljava/util/HashMap;::get": "HashMap.get",
    "LazyCompile:*parse /srv/app/lib/parser.js:10:2": "parse parser.js:10:2",
    "<module>": "<module>",
    "<listcomp>": "<listcomp>",
    "outer.<locals>.<lambda>": "outer.<locals>.<lambda>",
    "(garbage collector)": "(garbage collector)",
    "[libc.so.6]": "[libc.so.6]",
    "a < b": "a < b",
    "": "",
  };
  for (const [long, short] of Object.entries(names)) assert.equal(shortName(long), short);
});

test("things are counted in their number", () => {
  const words = [counted(0, "sample"), counted(1, "sample"), counted(12345, "sample")];
  assert.deepEqual(words, ["0 samples", "1 sample", "12,345 samples"]);
  assert.deepEqual([counted(1, "process"), counted(2, "process")], ["1 process", "2 processes"]);
});

test("no name makes shortening throw, hang or grow", () => {
  const parts = [
    "<",
    ">",
    "(",
    ")",
    "::",
    "operator",
    "->",
    "a",
    " ",
    "[clone ",
    "{lambda(",
    "/",
    ".",
    "L",
    ";",
  ];
  let state = 1;
  for (let i = 0; i < 5000; i++) {
    let s = "";
    for (let n = 0; n < 12; n++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      s += parts[state % parts.length];
    }
    assert.ok(shortName(s).length <= s.length + 2 * (s.split("<").length - 1), s);
  }
  const deep = "a<".repeat(20_000);
  assert.equal(shortName(deep), deep);
});

const letters = (s: string): number => s.length;

test("a name is split before its last part", () => {
  assert.deepEqual(splitName("clang::Parser::Parse"), ["clang::Parser::", "Parse"]);
  assert.deepEqual(splitName("ObjectMapper.readValue"), ["ObjectMapper.", "readValue"]);
  assert.deepEqual(splitName("parse parser.js:10:2"), ["", "parse parser.js:10:2"]);
  assert.deepEqual(splitName("malloc"), ["", "malloc"]);
  assert.deepEqual(splitName("a::"), ["", "a::"]);
});

test("a name is fitted by its scopes first, its end last", () => {
  assert.equal(fitName("clang::Parser::Parse", 20, letters), "clang::Parser::Parse");
  assert.equal(fitName("clang::Parser::Parse", 15, letters), "…Parser::Parse");
  assert.equal(fitName("clang::Parser::Parse", 8, letters), "…Parse");
  assert.equal(fitName("clang::Parser::Parse", 4, letters), "Par…");
  assert.equal(fitName("clang::Parser::Parse", 1, letters), "");
  assert.equal(fitName("main", 3, letters), "ma…");
  assert.equal(fitName("Deserializer$Reader.resolve", 12, letters), "…resolve");
  assert.equal(fitName("handlers.(*Handler).ServeHTTP.func2.1", 20, letters), "…ServeHTTP.func2.1");
  assert.equal(fitName("parse parser.js:10:2", 10, letters), "parse par…");
  assert.equal(fitName("[libc.so.6]", 8, letters), "[libc.s…");
});

test("numbers read well", () => {
  assert.equal(percent(0.1234), "12.3%");
  assert.equal(percent(0.001), "0.1%");
  assert.equal(percent(0.00001), "<0.1%");
  assert.equal(percent(-0.00001), ">-0.1%");
  assert.equal(percent(0), "0.0%");
  assert.equal(percentError(0.0123), "± 1.2");
  assert.equal(integer(1234567), "1,234,567");
  assert.equal(quantity(1.5e9, "nanoseconds", "cpu"), "1.50 s");
  assert.equal(quantity(12, "count", "samples"), "12 samples");
  assert.equal(quantity(3 * 1024 * 1024, "bytes", "alloc_space"), "3.0 MiB");
  assert.equal(duration(0.0123), "12 ms");
  assert.equal(duration(7200), "120.0 min");
});

test("costs are in cents, and what is less is said to be", () => {
  assert.equal(costs(87.6, "EUR", 12), "87.60 EUR, 12.00 kg CO₂");
  assert.equal(costs(1234.5, "€", undefined), "1,235 €");
  assert.equal(costs(0.001, "EUR", undefined), "0.0010 EUR");
  assert.equal(costs(-0.0042, "EUR", 0), "-0.0042 EUR, 0.00 kg CO₂");
  assert.equal(costs(0.000001, "EUR", -0.000001), "<0.00001 EUR, >-0.00001 kg CO₂");
});
