package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

const unknown = "NOASSERTION"

// writeContents writes beside each artefact what is in it, as SPDX has it.
func (r *release) writeContents() error {
	for _, a := range r.artefacts {
		sum, err := sumOf(filepath.Join(r.out, a.name))
		if err != nil {
			return err
		}
		doc := r.contents(a, sum)
		if err := writeFile(filepath.Join(r.out, a.name+".spdx.json"), func(w io.Writer) error {
			return spdxjson.Write(doc, w, spdxjson.Indent(" "))
		}); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return nil
}

func (r *release) contents(a *artefact, sum string) *spdx.Document {
	const top = common.ElementID("artefact")
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: a.name,
		DocumentNamespace: "https://whyhot.example.org/spdx/" + a.name + "-" + sum,
		CreationInfo: &spdx.CreationInfo{
			Creators: []common.Creator{{Creator: "whyhot release", CreatorType: "Tool"}},
			Created:  r.time.Format("2006-01-02T15:04:05Z"),
		},
		Packages: []*spdx.Package{{
			PackageName: a.name, PackageSPDXIdentifier: top, PackageVersion: r.version, PackageFileName: a.name,
			PackageDownloadLocation: unknown, PackageLicenseConcluded: "Apache-2.0", PackageLicenseDeclared: "Apache-2.0",
			PackageCopyrightText: unknown, PrimaryPackagePurpose: a.purpose, IsFilesAnalyzedTagPresent: true,
			PackageChecksums:  []common.Checksum{{Algorithm: common.SHA256, Value: sum}},
			PackageSourceInfo: "built from commit " + r.commit,
		}},
		Relationships: []*spdx.Relationship{relation("DOCUMENT", "DESCRIBES", top)},
	}
	seen := map[common.ElementID]bool{}
	add := func(p *spdx.Package, url string) {
		if seen[p.PackageSPDXIdentifier] {
			return
		}
		seen[p.PackageSPDXIdentifier] = true
		p.PackageDownloadLocation, p.PackageCopyrightText, p.IsFilesAnalyzedTagPresent = unknown, unknown, true
		p.PackageExternalReferences = []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: url}}
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, relation(top, "CONTAINS", p.PackageSPDXIdentifier))
	}
	for _, p := range a.programs {
		for _, m := range p.modules {
			licence := unknown
			if len(m.licences) > 0 {
				licence = strings.Join(m.licences, " AND ")
			}
			add(&spdx.Package{
				PackageName: m.path, PackageVersion: m.version, PackageSPDXIdentifier: identifier("go", m.path, m.version),
				PackageLicenseConcluded: unknown, PackageLicenseDeclared: licence, PrimaryPackagePurpose: "LIBRARY",
			}, "pkg:golang/"+m.path+"@"+m.version)
		}
	}
	for _, s := range a.system {
		add(&spdx.Package{
			PackageName: s.name, PackageVersion: s.version, PackageSPDXIdentifier: identifier("deb", s.name, s.version),
			PackageLicenseConcluded: unknown, PackageLicenseDeclared: unknown, PrimaryPackagePurpose: "LIBRARY",
		}, "pkg:deb/debian/"+s.name+"@"+s.version)
	}
	return doc
}

func relation(from common.ElementID, kind string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to)), Relationship: kind}
}

var notOfIdentifiers = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func identifier(parts ...string) common.ElementID {
	return common.ElementID(notOfIdentifiers.ReplaceAllString(strings.Join(parts, "-"), "-"))
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sums are the checksums of all files of a directory, as `sha256sum -c` reads them.
func sums(dir string) ([]byte, error) {
	var lines []string
	err := each(dir, func(name string) error {
		sum, err := sumOf(filepath.Join(dir, name))
		lines = append(lines, sum+"  "+name+"\n")
		return err
	})
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, "")), err
}
