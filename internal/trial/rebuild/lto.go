package rebuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/rebuild/wrapper"
)

// findLTO finds archivers and linkers for the families that a build uses.
func findLTO(ctx context.Context, compilers []*wrapper.Compiler) (*ltoTools, error) {
	t := &ltoTools{archivers: map[wrapper.Family]map[string]string{}}
	for _, c := range compilers {
		switch c.Family {
		case wrapper.GCC:
			t.archivers[c.Family] = gccArchivers(c)
		case wrapper.Clang:
			if err := t.forClang(ctx, c); err != nil {
				return nil, err
			}
		case wrapper.Rust, wrapper.Go, wrapper.Other:
		}
	}
	return t, nil
}

// gccArchivers are gcc-ar and its like beside a compiler, with its prefix and
// version. The objects hold machine code as well, so that any archiver will do
// where there is none.
func gccArchivers(c *wrapper.Compiler) map[string]string {
	out := map[string]string{}
	base := filepath.Base(c.Path)
	i := strings.LastIndex(base, "g++")
	if i < 0 {
		i = strings.LastIndex(base, "gcc")
	}
	prefix, suffix := "", ""
	if i >= 0 {
		prefix, suffix = base[:i], base[i+len("gcc"):]
	}
	for _, name := range []string{"ar", "ranlib", "nm"} {
		if p, err := tool.Find(filepath.Join(filepath.Dir(c.Path), prefix+"gcc-"+name+suffix)); err == nil {
			out[name] = p
		}
	}
	return out
}

// forClang wants a linker that reads bitcode: lld, or gold with LLVM's plug-in.
func (t *ltoTools) forClang(ctx context.Context, c *wrapper.Compiler) error {
	archivers := map[string]string{}
	for _, name := range []string{"ar", "ranlib", "nm"} {
		if p := progName(ctx, c, "llvm-"+name); p != "" {
			archivers[name] = p
		}
	}
	llvm := fmt.Sprintf("llvm-%d", c.Major)
	if len(archivers) == 0 {
		return fmt.Errorf("--lto with %s needs llvm-ar, which is not installed: install %s", filepath.Base(c.Path), llvm)
	}
	t.archivers[c.Family] = archivers
	if progName(ctx, c, "ld.lld") != "" {
		t.clangLink = "-fuse-ld=lld"
		return nil
	}
	if progName(ctx, c, "ld.gold") != "" && besideCompiler(c, "../lib/LLVMgold.so") {
		t.clangLink = "-fuse-ld=gold"
		return nil
	}
	return fmt.Errorf("--lto with %s needs a linker that reads LLVM's bitcode: install lld-%d", filepath.Base(c.Path), c.Major)
}

// progName asks the driver which program it would call; "" when there is none.
func progName(ctx context.Context, c *wrapper.Compiler, name string) string {
	out, err := exec.CommandContext(ctx, c.Path, "-print-prog-name="+name).Output()
	if err != nil {
		return ""
	}
	for _, candidate := range []string{strings.TrimSpace(string(out)), fmt.Sprintf("%s-%d", name, c.Major)} {
		if p, err := tool.Find(candidate); err == nil {
			return p
		}
	}
	return ""
}

func besideCompiler(c *wrapper.Compiler, rel string) bool {
	program, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(program), rel))
	return err == nil
}
