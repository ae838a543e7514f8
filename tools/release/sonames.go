package main

import (
	"debug/elf"
	"fmt"
	"slices"
)

// sonames are the libraries and their versions that a program wants, as RPM's packages
// name what they need and what they have: libc.so.6(GLIBC_2.34)(64bit).
func sonames(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var needs []string
	for _, l := range libraries {
		needs = append(needs, l+"()(64bit)")
	}
	versions, err := f.DynamicVersionNeeds()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, v := range versions {
		for _, n := range v.Needs {
			needs = append(needs, v.Name+"("+n.Dep+")(64bit)")
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs), nil
}
