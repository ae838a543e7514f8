package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestConstantKeys(t *testing.T) {
	for name, x := range map[string]struct {
		path, code, hot, more, other string
		kind                         profile.Kind
		want                         string
	}{
		"a constant object, in several lines of a method": {"/me/a.cpp", `
class World {
public:
    explicit World(const Tunables<double>& t) : tune(t) {}
    void tick(double dt) {
        for (auto& u : units) move(u, dt);  @4
    }
    void move(Unit& u, double dt) {
        double limit = tune.get("world.speed_limit");  @1
        double drag = tune.get("world.drag");  @2
        u.x += clamp(u.x * (1 - drag * dt), limit);  @3
    }
    const Tunables<double>& tune;
};
`, "tick@4 move@1 string", "tick@4 move@2 get", "tick@4 move@3 clamp", profile.KindNative, "@1 tune"},
		"what a function is given": {"/me/A.java", `
class A {
    double price(Config config, Line l) {
        double rate = config.getDouble("pricing.rate");  @1
        double step = config.getDouble("pricing.step");  @2
        return rate * l.n + step;
    }
    void all(Config config, List<Line> lines) {
        for (Line l : lines) {
            sum += price(config, l);  @4
            other(l);  @3
        }
    }
}
`, "all@4 price@1 getDouble", "all@4 price@2 getDouble", "all@3 other", profile.KindJava, "@1 config"},
		"settings of C": {"/me/a.c", `
static double price(const struct settings *cfg, double n)
{
    double rate = cfg_double(cfg, "rate");  @1
    return rate * n + cfg_double(cfg, "step");  @2
}
int main(void) {
    for (int i = 0; i < n; i++) {
        sum += price(&cfg, i);  @4
        other(i);  @3
    }
}
`, "main@4 price@1 cfg_double strcmp", "main@4 price@2 cfg_double strcmp", "main@3 other", profile.KindNative, "@1 cfg"},
		"an object of each pass": {"/me/A.java", `
class A {
    double price(Fields fields) {
        double rate = fields.getDouble("rate");  @1
        double step = fields.getDouble("step");  @2
        return rate + step;
    }
    void all(List<Fields> lines) {
        for (Fields l : lines) {
            sum += price(l);  @4
            other(l);  @3
        }
    }
}
`, "all@4 price@1 getDouble", "all@4 price@2 getDouble", "all@3 other", profile.KindJava, ""},
		"a method of each object": {"/me/a.py", `
class Order:
    def __init__(self, fields):
        self.fields = fields
    def total(self):
        a = self.fields.get("net")  @1
        return a + self.fields.get("tax")  @2
def main(orders):
    for o in orders:
        t += o.total()  @4
        other(o)  @3
`, "main@4 total@1 get", "main@4 total@2 get", "main@3 other", profile.KindPython, ""},
		"what is set on each pass": {"/me/a.cpp", `
void run() {
    for (auto& u : units) {
        tune.set("world.speed", u.speed);
        double a = tune.get("world.speed");  @1
        double b = tune.get("world.drag");  @2
        other(a, b);  @3
    }
}
`, "run@1 get", "run@2 get", "run@3 other", profile.KindNative, ""},
		"read again by another method": {"/me/A.java", `
class A {
    void advance() {
        current = source.next();
    }
    double price() {
        double rate = current.getDouble("rate");  @1
        double step = current.getDouble("step");  @2
        return rate + step;
    }
    void all(List<Line> lines) {
        for (Line l : lines) {
            sum += price();  @4
            other(l);  @3
        }
    }
}
`, "all@4 price@1 getDouble", "all@4 price@2 getDouble", "all@3 other", profile.KindJava, ""},
		"a result of a database": {"/me/A.java", `
class A {
    void all(ResultSet rs) {
        while (rs.next()) {
            double rate = rs.getDouble("rate");  @1
            double step = rs.getDouble("step");  @2
            other(rate, step);  @3
        }
    }
}
`, "all@1 getDouble", "all@2 getDouble", "all@3 other", profile.KindJava, ""},
		"what another machine is asked for": {"/me/a.py", `
def main(client, units):
    for u in units:
        a = client.get("/speed")  @1
        b = client.get("/drag")  @2
        other(u, a, b)  @3
`, "main@1 get", "main@2 get", "main@3 other", profile.KindPython, ""},
		"once": {"/me/a.cpp", `
void start() {
    double a = tune.get("world.speed");  @1
    double b = tune.get("world.drag");  @2
    other(a, b);  @3
}
`, "start@1 get", "start@2 get", "start@3 other", profile.KindNative, ""},
	} {
		p := read(x.path, x.code, x.kind)
		for range 40 {
			p.add(3, x.hot)
			p.add(2, x.more)
			p.add(5, x.other)
		}
		got := ""
		for _, f := range p.found(t) {
			if f.Rule == RuleConstKey {
				got = f.Title
			}
		}
		mark, on, _ := strings.Cut(x.want, " ")
		if (got != "") != (x.want != "") || got != "" && !(strings.Contains(got, " "+on+" ") && strings.HasSuffix(got, ":"+string(rune('0'+p.at[mark]))+")")) {
			t.Errorf("%s: %q, not %q", name, got, x.want)
		}
	}
}
