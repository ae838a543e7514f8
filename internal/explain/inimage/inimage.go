// Package inimage holds what is in a container image against the catalogue: which
// packages are known to have a faster replacement, and which of them a profile shows
// to be hot.
//
// It owns that join and its answer, whose JSON form is docs/images.schema.json. It takes
// an inventory, the catalogue, and of a profile its findings; it gives rows, those that
// burn most first. It must read no image and judge no profile.
package inimage

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/image/inventory"
	"whyhot/internal/profile"
)

// Version is that of the JSON form.
const Version = 1

// Request is what is held against each other.
type Request struct {
	Inventory inventory.Inventory
	Catalog   *catalog.Catalog
	// Hot is what a profile shows, nil where there is none.
	Hot *Hot
}

// Hot is what a profile shows.
type Hot struct {
	Profile *profile.Profile
	Report  finding.Report
	Cores   float64 // that it kept busy, 0 where that is not known
}

// Answer is what an image has.
type Answer struct {
	Version int   `json:"version"`
	Image   Image `json:"image"`
	// Profile is null where none said what is hot.
	Profile *Profile `json:"profile"`
	Rows    []Row    `json:"findings"`
	Notes   []string `json:"notes,omitempty"`
}

// Image is what was read.
type Image struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Digest   string            `json:"digest,omitempty"`
	Platform string            `json:"platform,omitempty"`
	System   string            `json:"system,omitempty"`
	Layers   []inventory.Layer `json:"layers,omitempty"`
	Packages map[string]int    `json:"packages"` // how many of each kind
}

// Profile is the profile that ranked the rows.
type Profile struct {
	finding.Source

	// Covered is the share of the CPU that was spent in binaries of the image; null
	// where the profile has no paths.
	Covered *float64 `json:"in_image,omitempty"`
	Cores   float64  `json:"cores,omitempty"`
	// Elsewhere are findings about what is not in the image.
	Elsewhere int `json:"findings_elsewhere,omitempty"`
}

// Row is one thing to change: a cause, and the packages of the image that have it.
type Row struct {
	Rule        string   `json:"rule"`
	Title       string   `json:"title"`
	ReplaceWith string   `json:"replace_with,omitempty"`
	Steps       []string `json:"steps"`
	// Packages are those concerned; none where the program's own file is.
	Packages []inventory.Package `json:"packages,omitempty"`
	// File is the binary or the source file that is hot, as the image has it.
	File string `json:"file,omitempty"`
	// OtherBuild says that the profile is of another build of the file than the image's.
	OtherBuild bool     `json:"other_build,omitempty"`
	Share      *float64 `json:"share,omitempty"`
	Cores      *float64 `json:"cores,omitempty"`
	// Finding is that of the profile, with its evidence; null without one.
	Finding *finding.Finding `json:"finding,omitempty"`
}

// Scan holds an image against the catalogue. With a profile a package is told of only
// where the profile shows it to be hot.
func Scan(r Request) Answer {
	in := r.Inventory
	a := Answer{
		Version: Version, Rows: []Row{}, Notes: slices.Clone(in.Notes),
		Image: Image{Name: in.Image, Kind: in.Kind, Digest: in.Digest, Platform: in.Platform, System: in.System, Layers: in.Layers, Packages: map[string]int{}},
	}
	for _, p := range in.Packages {
		a.Image.Packages[p.Kind]++
	}
	if r.Hot == nil {
		a.Rows = r.known()
		return a
	}
	a.Profile = &Profile{Covered: r.covered(), Cores: r.Hot.Cores}
	if r.Hot.Report.Profile != nil {
		a.Profile.Source = *r.Hot.Report.Profile
	}
	a.Notes = append(a.Notes, r.Hot.Report.Notes...)
	r.rank(&a)
	return a
}

// known are the entries whose packages are in the image, in the order of the catalogue:
// without a profile nothing says what matters.
func (r *Request) known() []Row {
	out := []Row{}
	for i := range r.Catalog.Entries {
		e := &r.Catalog.Entries[i]
		if ps := r.packages(e, true); len(ps) > 0 {
			out = append(out, Row{Rule: e.ID, Title: e.Title, ReplaceWith: e.ReplaceWith, Steps: e.Swap.Steps, Packages: ps})
		}
	}
	return out
}

// packages are those of the image that an entry names. Strictly, the advice must not be
// moot by their versions or by what else is installed; where a profile shows the cost,
// it is not.
func (r *Request) packages(e *catalog.Entry, strictly bool) []inventory.Package {
	var out []inventory.Package
	for i := range e.Packages {
		want := &e.Packages[i]
		for _, p := range r.Inventory.Packages {
			if p.Kind != want.Kind || !catalog.MatchAny(want.Name, p.Name) || slices.Contains(out, p) {
				continue
			}
			if !strictly || r.meant(want, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (r *Request) meant(want *catalog.Packages, p inventory.Package) bool {
	if want.Min != "" && rule.CompareVersions(p.Version, want.Min) < 0 || want.Below != "" && rule.CompareVersions(p.Version, want.Below) >= 0 {
		return false
	}
	return !slices.ContainsFunc(r.Inventory.Packages, func(o inventory.Package) bool {
		return o.Kind == want.Kind && catalog.MatchAny(want.Unless, o.Name)
	})
}

// rank keeps the findings that are about something in the image.
func (r *Request) rank(a *Answer) {
	if a.Profile.Covered != nil && *a.Profile.Covered == 0 {
		a.Profile.Elsewhere = len(r.Hot.Report.Findings)
		a.Notes = append(a.Notes, "None of the profile's binaries is in the image: it is of another program, or of another image. Nothing is listed.")
		return
	}
	for i := range r.Hot.Report.Findings {
		f := &r.Hot.Report.Findings[i]
		row, ok := r.row(f)
		if !ok {
			a.Profile.Elsewhere++
			continue
		}
		a.Rows = append(a.Rows, row)
	}
	slices.SortStableFunc(a.Rows, func(x, y Row) int { return -cmp.Compare(*x.Share, *y.Share) })
}

// row says where in the image a finding is.
func (r *Request) row(f *finding.Finding) (Row, bool) {
	share := f.Share.Main()
	row := Row{Rule: f.Rule, Title: f.Title, Steps: f.Fix.Steps, Share: &share, Finding: f}
	if r.Hot.Cores > 0 {
		cores := share * r.Hot.Cores
		row.Cores = &cores
	}
	if e, ok := r.Catalog.Entry(f.Rule); ok {
		row.ReplaceWith = e.ReplaceWith
		row.Packages = r.packages(e, false)
	}
	// Source files first: of an interpreter's program the binary is the interpreter.
	for _, name := range []string{f.Place.File, f.Place.Binary} {
		file, ok := r.Inventory.Files[name]
		if !ok || name == "" {
			continue
		}
		if row.File == "" {
			row.File = file.Path
		}
		if name == f.Place.Binary && f.Place.BuildID != "" && file.BuildID != "" && f.Place.BuildID != file.BuildID {
			row.OtherBuild = true
		}
		// Modules are linked into one binary each: those of another are not hot here.
		row.Packages = slices.DeleteFunc(row.Packages, func(p inventory.Package) bool {
			return name == f.Place.Binary && (p.Kind == inventory.Go || p.Kind == inventory.Cargo) && p.Path != file.Path
		})
		if len(row.Packages) == 0 {
			for _, o := range file.Owners {
				row.Packages = append(row.Packages, r.Inventory.Packages[o])
			}
		}
	}
	return row, len(row.Packages) > 0 || row.File != ""
}
