// fix: vector-bool
// flags: -std=gnu++98 -O2
// want: fixed
#include <algorithm>
#include <cstdio>
#include <vector>

typedef std::vector<bool> Row;

// Iterators, typedefs and algorithms follow.
int main() {
  Row genes(40);
  int n = 0;
  for (std::vector<bool>::iterator i = genes.begin(); i != genes.end(); ++i, ++n) // HERE
    *i = n % 3 == 0;
  std::vector<Row> all(2, genes);
  std::fill(all[1].begin(), all[1].begin() + 5, true);
  all[0].swap(all[1]);
  for (Row::const_iterator i = all[0].begin(); i != all[0].end(); i++)
    n = 2 * n % 1000 + *i;
  for (int i = 0; i < 9; i++) {
    bool one = n % 2 ? all[0][i] : genes[i];
    genes[i] = all[1][i] = one;
  }
  printf("%d %d\n", n, static_cast<int>(std::count(genes.begin(), genes.end(), true)));
}
