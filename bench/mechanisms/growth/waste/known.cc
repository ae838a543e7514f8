// Names that were seen are looked for in a vector.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int, char **argv)
{
    std::vector<std::string> seen;
    for (long i = 0, n = std::atol(argv[1]); i < n; i++) {
        std::string name = "customer-" + std::to_string(i * 7919 % n);
        if (std::find(seen.begin(), seen.end(), name) == seen.end()) // WASTE
            seen.push_back(name);
    }
    std::printf("%zu\n", seen.size());
}
