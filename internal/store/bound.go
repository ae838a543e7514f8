package store

import (
	"fmt"

	"whyhot/internal/store/dict"
)

// nearBound is the part of a bound from which on it is told of.
const nearBound = 0.8

// bounds are those of the dictionary, which are met by what is kept.
func bounds(d *dict.Sizes) []Bound {
	out := []Bound{
		{Name: "frames", Used: int64(d.Nodes), Limit: int64(d.Limits.Nodes), Warning: "stacks that were not used for longest lose their names"},
		{Name: "dictionary bytes", Used: d.Memory, Limit: d.Limits.Bytes, Warning: "stacks that were not used for longest lose their names"},
		{Name: "series", Used: int64(max(d.Series, d.Groups)), Limit: int64(d.Limits.Series), Warning: "services, hosts and containers that were not used for longest are put together"},
	}
	for i := range out {
		b := &out[i]
		if float64(b.Used) < nearBound*float64(b.Limit) {
			b.Warning = ""
			continue
		}
		b.Warning = fmt.Sprintf("%d of %d %s are in use; at the bound %s; a shorter retention, or fewer services in this project, leave room", b.Used, b.Limit, b.Name, b.Warning)
	}
	return out
}

// quota is the bound of what a project keeps, where it has one.
func quota(bytes, most int64) []Bound {
	if most == 0 {
		return nil
	}
	b := Bound{Name: "quota bytes", Used: bytes, Limit: most}
	if float64(bytes) >= nearBound*float64(most) {
		b.Warning = fmt.Sprintf("%d of %d bytes of the project's quota are in use; at the bound its oldest day goes", bytes, most)
	}
	return []Bound{b}
}

// nearDisk is the part of a disk from which on it is told of.
const nearDisk = 0.9

// disk is the bound of the disk, where it is known.
func (s *Store) disk() []Bound {
	if s.opts.Disk == nil {
		return nil
	}
	free, total, err := s.opts.Disk(s.dir)
	if err != nil {
		return nil
	}
	b := Bound{Name: "disk bytes", Used: total - free, Limit: total}
	if float64(b.Used) >= nearDisk*float64(total) {
		b.Warning = fmt.Sprintf("%d of %d bytes of the disk are in use; from %.0f%% on the oldest day goes, and when it is full nothing is taken", b.Used, b.Limit, 100*(1-leastFree))
	}
	return []Bound{b}
}

// nearing takes note of bounds that are near, for those who send, and logs each when it
// comes near.
func (s *Store) nearing() {
	sizes := s.dict.Sizes()
	var near []string
	names := map[string]bool{}
	for _, b := range append(bounds(&sizes), s.disk()...) {
		if b.Warning == "" {
			continue
		}
		near, names[b.Name] = append(near, b.Warning), true
		if !s.told[b.Name] {
			s.log.Warn("a bound of the store is near", "bound", b.Name, "used", b.Used, "limit", b.Limit, "note", b.Warning)
		}
	}
	s.told = names
	s.near.Store(&near)
}
