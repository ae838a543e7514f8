// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <iostream>
static void show(bool b) { std::cout << (b ? "yes " : "no "); }
static void show(int i) { std::cout << i; }
int main() {
  std::vector<bool> even(10);
  for (int i = 0; i < 10; ++i) // HERE
    even[i] = i % 2 == 0;
  show(even[3]);
  show(4);
  std::cout << even[4] << "\n";
}
