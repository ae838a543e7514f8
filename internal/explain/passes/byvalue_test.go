package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestArgumentsByValue(t *testing.T) {
	const hot = "improve@1 std::vector<Stop,std::allocator<Stop>>::vector std::uninitialized_copy"
	checkAll(t, map[string]written{
		"a vector": {"/me/a.cpp", `
static double saving(std::vector<Stop> stops, std::size_t i) {
    return stops[i].at;
}
static int improve(std::vector<Stop> &stops) {
    for (std::size_t i = 0; i + 2 < stops.size(); ++i) {
        if (saving(stops, i) > 1e-9) ++n;  @1
        show(n);  @3
    }
}
`, hot, "improve@3", profile.KindNative, RuleValue, "@1 saving copies"},
		"by reference": {"/me/a.cpp", `
static double saving(const std::vector<Stop> &stops, std::size_t i) {
    auto mine = stops;
    return mine[i].at;
}
static int improve(std::vector<Stop> &stops) {
    for (std::size_t i = 0; i + 2 < stops.size(); ++i) {
        if (saving(stops, i) > 1e-9) ++n;  @1
        show(n);  @3
    }
}
`, hot, "improve@3", profile.KindNative, "", ""},
		"what a reference gives": {"/me/a.cpp", `
static double price(Curve curve) { return curve.at(3); }
static int improve(const std::map<std::string, Curve> &curves) {
    for (const auto &p : book) {
        sum += price(curves.at(p.currency));  @1
        show(n);  @3
    }
}
`, "improve@1 Curve::Curve std::_Rb_tree<int,int>::_M_copy", "improve@3", profile.KindNative, RuleValue, "@1 price copies"},
		"made for the call": {"/me/a.cpp", `
static double price(Curve curve) { return curve.at(3); }
static int improve(const std::map<std::string, Points> &points) {
    for (const auto &p : book) {
        sum += price(Curve(points.at(p.currency)));  @1
        show(n);  @3
    }
}
`, "improve@1 Curve::Curve std::_Rb_tree<int,int>::_M_copy", "improve@3", profile.KindNative, "", ""},
		"moved": {"/me/a.cpp", `
static void keep(std::vector<Stop> stops) { all.push_back(std::move(stops)); }
static int improve() {
    for (const auto &line : lines) {
        keep(std::move(parsed));  @1
        show(n);  @3
    }
}
`, hot, "improve@3", profile.KindNative, "", ""},
	})
}
