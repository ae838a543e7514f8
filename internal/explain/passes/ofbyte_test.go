package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestFunctionsOfAByte(t *testing.T) {
	checkAll(t, map[string]written{
		"a pixel": {"/me/a.cpp", `
static void correct(std::vector<uint8_t> &image, double g) {
  for (auto &p : image) {
    p = std::pow(p / 255.0, g) * 255.0 + 0.5;  @1
    show(p);  @3
  }
}
`, "correct@1 __ieee754_pow_fma", "correct@3", profile.KindNative, RuleOfByte, "@1 of a"},
		"by an index, and one step": {"/me/a.c", `
static void correct(const unsigned char *image, float *out, int n) {
  for (int i = 0; i < n; i++) {
    float v = image[i] / 255.0f;
    out[i] = expf(-v);  @1
    show(out);  @3
  }
}
`, "correct@1 __expf_fma", "correct@3", profile.KindNative, RuleOfByte, "@1 of a"},
		"in Go": {"/me/a.go", `
func correct(image []byte, g float64) {
	for i, p := range image {
		image[i] = uint8(math.Pow(float64(p)/255, g) * 255)  @1
		show(p)  @3
	}
}
`, "correct@1 math.pow", "correct@3", profile.KindGo, RuleOfByte, "@1 of a"},
		"of floats": {"/me/a.cpp", `
static void correct(std::vector<float> &image, std::vector<uint8_t> &out, double g) {
  for (size_t i = 0; i < image.size(); i++) {
    out[i] = std::pow(image[i], g) * 255.0 + 0.5;  @1
    show(out);  @3
  }
}
`, "correct@1 __ieee754_pow_fma", "correct@3", profile.KindNative, "", ""},
		"with another that changes": {"/me/a.cpp", `
static void correct(std::vector<uint8_t> &image, std::vector<double> &gain) {
  for (size_t i = 0; i < image.size(); i++) {
    image[i] = std::pow(image[i], gain[i]);  @1
    show(image);  @3
  }
}
`, "correct@1 __ieee754_pow_fma", "correct@3", profile.KindNative, "", ""},
	})
}
