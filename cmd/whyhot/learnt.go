package main

import (
	"os"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/noise"
)

// learnt is what the trials and hunts that are kept here say of findings on the
// programs of a profile. An archive that cannot be read says nothing: `whyhot try
// list` tells why.
func learnt(p *profile.Profile) map[string][]finding.Trial {
	a, err := archive.Open(os.Getenv)
	if err != nil {
		return nil
	}
	records, _, err := a.List()
	if err != nil {
		return nil
	}
	var programs []string
	for i := range p.NumMappings() {
		if m := p.Mapping(profile.MappingID(i)); m.BuildID != "" {
			programs = append(programs, m.BuildID)
		}
	}
	model, _ := noise.Machine()
	return archive.Learnt(records, programs, model)
}
