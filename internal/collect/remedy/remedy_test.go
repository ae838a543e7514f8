package remedy

import "testing"

func TestInstall(t *testing.T) {
	p := Package{"debian": "linux-perf", "ubuntu": "linux-tools-generic", "fedora": "perf", "": "install perf"}
	for osRelease, want := range map[string]string{
		"ID=debian\nVERSION_ID=\"12\"\n":               "sudo apt-get install linux-perf",
		"NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n": "sudo apt-get install linux-tools-generic",
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":    "sudo apt-get install linux-tools-generic",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"": "sudo dnf install perf",
		"ID=plan9\n": "install perf",
		"":           "install perf",
	} {
		if got := install(p, osRelease); got != want {
			t.Errorf("%q: %q, want %q", osRelease, got, want)
		}
	}
}
