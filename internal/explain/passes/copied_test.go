package passes

import (
	"testing"

	"whyhot/internal/profile"
)

// What an object keeps, and each call of a method replaces by a copy with more in it.
func TestCopiesOfWhatAnObjectKeeps(t *testing.T) {
	checkAll(t, map[string]written{
		"an array of numpy": {"/me/a.py", `
class Recorder:
    def on_frame(self, frame):
        self.samples = np.append(self.samples, [frame], axis=0)  @1
def main():
    for frame in frames:
        recorder.on_frame(frame)
        show(frame)  @3
`, "main@3 on_frame@1 append", "main@3", profile.KindPython, RuleCopied, "@1 self.samples"},
		"a buffer": {"/me/a.js", `
class Upload {
  receive(stream) {
    stream.on('data', (chunk) => {
      this.data = Buffer.concat([this.data, chunk]);  @1
      show(chunk);  @3
    });
  }
}
`, "receive@1 concat", "receive@3", profile.KindJS, RuleCopied, "@1 this.data"},
		"a slice in Go": {"/me/a.go", `
func (f *Feed) Publish(p Post) {
	f.posts = append([]Post{p}, f.posts...)  @1
	show(p)  @3
}
`, "main.(*Feed).Publish@1 runtime.growslice", "main.(*Feed).Publish@3", profile.KindGo, RuleCopied, "@1 f.posts"},
		"exactly so much memory": {"/me/a.cpp", `
void Mesh::append(const Mesh &part) {
    triangles.reserve(triangles.size() + part.triangles.size());  @1
    for (const Triangle &t : part.triangles)
        show(t);  @3
}
`, "Mesh::append@1 __memcpy_avx_unaligned_erms", "Mesh::append@3", profile.KindNative, RuleCopied, "@1 triangles"},
		"once for all": {"/me/a.cpp", `
void Mesh::append(const Mesh &part) {
    triangles.reserve(total);  @1
    for (const Triangle &t : part.triangles)
        show(t);  @3
}
`, "Mesh::append@1 __memcpy_avx_unaligned_erms", "Mesh::append@3", profile.KindNative, "", ""},
		"a variable of the function": {"/me/a.py", `
def joined(samples, frame):
    samples = np.append(samples, [frame], axis=0)  @1
    show(samples)  @3
    return samples
`, "main@3 joined@1 append", "joined@3", profile.KindPython, "", ""},
	})
}
