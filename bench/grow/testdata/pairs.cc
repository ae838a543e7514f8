// Finds the nearest pair of points by comparing each with each; the points are read and
// sorted first, which takes n log n.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Point {
    double x, y;
};

static std::vector<Point> read(int n)
{
    std::vector<Point> points;
    unsigned seed = 1;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245 + 12345;
        double x = seed >> 8;
        seed = seed * 1103515245 + 12345;
        points.push_back({x, double(seed >> 8)});
    }
    std::sort(points.begin(), points.end(), [](const Point &a, const Point &b) { return a.x < b.x; });
    return points;
}

__attribute__((noinline)) static double nearest(const std::vector<Point> &points)
{
    double best = 1e300;
    for (size_t i = 0; i < points.size(); i++)
        for (size_t j = i + 1; j < points.size(); j++) {              // GROWS
            double dx = points[i].x - points[j].x, dy = points[i].y - points[j].y; // GROWS
            best = std::min(best, dx * dx + dy * dy);                  // GROWS
        }
    return best;
}

int main(int argc, char **argv)
{
    std::vector<Point> points = read(argc > 1 ? atoi(argv[1]) : 1000);
    printf("%g\n", nearest(points));
}
