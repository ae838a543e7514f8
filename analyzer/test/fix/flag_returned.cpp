// fix: bit-field
// flags: -std=c++20 -O2
// want: fixed
#include <cstdio>
#include <vector>

class Node {
public:
  bool isOwned() const { return bits.owned; }
  unsigned owned() const { return bits.owned; }
  auto deduced() const { return bits.owned; }
  int total(const std::vector<Node> &others) {
    int n = 0;
    for (const Node &o : others) { // HERE
      n += o.isOwned();
      bits.owned = n > 3;
    }
    return n;
  }
  void own(bool v) { bits.owned = v; }

private:
  struct {
    unsigned int kind : 8;
    unsigned int owned : 1;
  } bits{};
};

int main() {
  std::vector<Node> nodes(9);
  for (int i = 0; i < 9; ++i)
    nodes[i].own(i % 2);
  Node sum;
  int n = sum.total(nodes);
  printf("%d %u %u %zu\n", n, sum.owned(), sum.deduced(), sizeof(sum.deduced()));
}
