// Orders are taken from the front of a vector.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Order { long id; double price; long other[6]; };

int main(int, char **argv)
{
    std::vector<Order> open(std::atol(argv[1]));
    double sum = 0;
    long n = 0;
    for (auto &o : open) o = {n++, n * 0.5, {}};
    while (!open.empty()) {
        std::string key = std::to_string(open.front().id) + "/" + std::to_string(open.front().price);
        sum += key.size() * open.front().price;
        open.erase(open.begin()); // WASTE
    }
    std::printf("%f\n", sum);
}
