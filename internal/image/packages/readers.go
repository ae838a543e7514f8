package packages

import (
	"io/fs"
	"path"
	"time"

	cpb "github.com/google/osv-scalibr/binary/proto/config_go_proto"
	"github.com/google/osv-scalibr/extractor/filesystem"
	"github.com/google/osv-scalibr/extractor/filesystem/language/dotnet/depsjson"
	"github.com/google/osv-scalibr/extractor/filesystem/language/golang/gobinary"
	"github.com/google/osv-scalibr/extractor/filesystem/language/java/archive"
	"github.com/google/osv-scalibr/extractor/filesystem/language/javascript/packagejson"
	"github.com/google/osv-scalibr/extractor/filesystem/language/php/composerlock"
	"github.com/google/osv-scalibr/extractor/filesystem/language/python/wheelegg"
	"github.com/google/osv-scalibr/extractor/filesystem/language/ruby/gemspec"
	"github.com/google/osv-scalibr/extractor/filesystem/language/rust/cargoauditable"
	"github.com/google/osv-scalibr/extractor/filesystem/os/apk"
	"github.com/google/osv-scalibr/extractor/filesystem/os/dpkg"
	"github.com/google/osv-scalibr/extractor/filesystem/os/rpm"
	"google.golang.org/protobuf/proto"
)

type maker = func(*cpb.PluginConfig) (filesystem.Extractor, error)

// databases are the readers of what distributions install.
func databases() ([]filesystem.Extractor, error) { return made(dpkg.New, apk.New, rpm.New) }

// languages are the readers of what is installed for a language: not of lock files
// and the like, which say what would be.
func languages() ([]filesystem.Extractor, error) {
	return made(wheelegg.New, packagejson.New, gobinary.New, archive.New, cargoauditable.New, gemspec.New, composerlock.New, depsjson.New)
}

// withoutHashes keeps the reader of jars from reading each twice: nobody asks for their
// digests.
var withoutHashes = &cpb.PluginConfig{PluginSpecific: []*cpb.PluginSpecificConfig{
	{Config: &cpb.PluginSpecificConfig_JavaArchive{JavaArchive: &cpb.JavaArchiveConfig{HashJars: proto.Bool(false)}}},
}}

func made(makers ...maker) ([]filesystem.Extractor, error) {
	out := make([]filesystem.Extractor, 0, len(makers))
	for _, m := range makers {
		e, err := m(withoutHashes)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// info is what a reader is told of a file.
type info struct{ asked }

func (i info) Name() string       { return path.Base(i.name) }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }

// silent keeps the library from writing to stderr: what it could not read, its
// answer says.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Error(...any)          {}
func (silent) Warnf(string, ...any)  {}
func (silent) Warn(...any)           {}
func (silent) Infof(string, ...any)  {}
func (silent) Info(...any)           {}
func (silent) Debugf(string, ...any) {}
func (silent) Debug(...any)          {}
