//go:build linux

package noise

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// Settings are sentences on how this machine is set up.
func Settings() []string { return settings("/") }

// settings are sentences on how the machine is set up.
func settings(root string) []string {
	var out []string
	governors := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"))
	for _, f := range files {
		governors[read(f)] = true
	}
	delete(governors, "performance")
	delete(governors, "")
	for g := range governors {
		out = append(out, fmt.Sprintf("the CPU frequency governor is %q, so that the clock changes with the load (cpupower frequency-set -g performance)", g))
	}
	supplies, _ := filepath.Glob(filepath.Join(root, "sys/class/power_supply/*"))
	for _, s := range supplies {
		if read(filepath.Join(s, "type")) == "Battery" && read(filepath.Join(s, "status")) == "Discharging" {
			out = append(out, "the machine runs on battery")
			break
		}
	}
	if read(filepath.Join(root, "proc/sys/kernel/randomize_va_space")) == "0" {
		out = append(out, "addresses are not randomised on this machine (kernel.randomize_va_space is 0): every run has the same layout except for the stack, and the ratio is that of this layout")
	}
	if turbo(root) {
		out = append(out, "turbo is on, so that the clock depends on the temperature and on how many cores are busy")
	}
	slices.Sort(out)
	return out
}

// turbo says that cores may run faster than their base clock: intel_pstate has
// its own switch, other drivers the general one (Documentation/admin-guide/pm of
// the Linux sources). Machines that show neither are not judged.
func turbo(root string) bool {
	if v := read(filepath.Join(root, "sys/devices/system/cpu/intel_pstate/no_turbo")); v != "" {
		return v == "0"
	}
	return read(filepath.Join(root, "sys/devices/system/cpu/cpufreq/boost")) == "1"
}

// smt says that CPUs share cores.
func smt(root string) bool {
	return read(filepath.Join(root, "sys/devices/system/cpu/smt/active")) == "1"
}

// heat adds up how often cores slowed themselves, 0 where nobody counts.
func heat(root string) float64 {
	sum := 0.0
	files, _ := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count"))
	for _, f := range files {
		n, err := strconv.ParseFloat(read(f), 64)
		if err == nil {
			sum += n
		}
	}
	return sum
}
