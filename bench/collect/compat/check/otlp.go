package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	service "go.opentelemetry.io/proto/otlp/collector/profiles/v1development"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// readRequests tallies the requests in a directory, after the protocol's text.
func readRequests(dir string) (*tally, error) {
	t := newTally()
	paths, err := filepath.Glob(filepath.Join(dir, "*.pb"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := &service.ExportProfilesServiceRequest{}
		if err := proto.Unmarshal(data, r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t.request(r)
	}
	return t, nil
}

func (t *tally) request(r *service.ExportProfilesServiceRequest) {
	d := dictionary{r.GetDictionary()}
	before := t.samples
	for _, rp := range r.GetResourceProfiles() {
		shared := map[string]string{}
		for _, kv := range rp.GetResource().GetAttributes() {
			key := kv.GetKey()
			if key == "" {
				key = d.text(kv.GetKeyStrindex())
			}
			d.label(shared, key, kv.GetValue())
		}
		for _, sp := range rp.GetScopeProfiles() {
			for _, p := range sp.GetProfiles() {
				t.profile(d, p, shared)
			}
		}
	}
	if t.samples > before {
		t.files++
	}
}

func (t *tally) profile(d dictionary, p *otlp.Profile, shared map[string]string) {
	if len(p.GetSamples()) > 0 {
		unit := d.text(p.GetPeriodType().GetUnitStrindex())
		t.periods[fmt.Sprintf("%s/%s %d", d.text(p.GetPeriodType().GetTypeStrindex()), unit, p.GetPeriod())] = true
	}
	for _, i := range p.GetAttributeIndices() {
		if a := d.GetAttributeTable()[i]; d.text(a.GetKeyStrindex()) == "whyhot.lost" {
			t.lost += a.GetValue().GetIntValue()
		}
	}
	for _, s := range p.GetSamples() {
		labels := maps.Clone(shared)
		for _, i := range s.GetAttributeIndices() {
			a := d.GetAttributeTable()[i]
			d.label(labels, d.text(a.GetKeyStrindex()), a.GetValue())
		}
		count := int64(len(s.GetTimestampsUnixNano()))
		if len(s.GetValues()) > 0 {
			count = 0
			for _, v := range s.GetValues() {
				count += v
			}
		}
		var frames []frame
		for _, l := range d.GetStackTable()[s.GetStackIndex()].GetLocationIndices() {
			frames = append(frames, d.frames(d.GetLocationTable()[l])...)
		}
		t.add(labels, frames, count, count*p.GetPeriod())
	}
}

type dictionary struct{ *otlp.ProfilesDictionary }

func (d dictionary) text(i int32) string {
	if i == 0 {
		return ""
	}
	return d.GetStringTable()[i]
}

// ourLabels are the names that whyhot gives attributes, "" where it leaves them out.
var ourLabels = map[string]string{
	"process.pid": "pid", "process.executable.name": "process", "whyhot.process": "process", "container.id": "container",
	"thread.name": "thread", "thread.id": "tid", "process.executable.path": "", "cpu.logical_number": "", "whyhot.count": "",
}

func (d dictionary) label(to map[string]string, key string, v *common.AnyValue) {
	if ours, known := ourLabels[key]; known {
		key = ours
	}
	var text string
	switch v := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		text = v.StringValue
	case *common.AnyValue_StringValueStrindex:
		text = d.text(v.StringValueStrindex)
	case *common.AnyValue_IntValue:
		text = strconv.FormatInt(v.IntValue, 10)
	case *common.AnyValue_BoolValue:
		text = strconv.FormatBool(v.BoolValue)
	}
	if key != "" && text != "" {
		to[key] = text
	}
}

// interpreted are the frame types whose addresses are none.
var interpreted = map[string]bool{"cpython": true, "jvm": true, "v8js": true, "ruby": true, "php": true, "perl": true, "dotnet": true}

func (d dictionary) frames(l *otlp.Location) []frame {
	kind := ""
	for _, i := range l.GetAttributeIndices() {
		if a := d.GetAttributeTable()[i]; d.text(a.GetKeyStrindex()) == "profile.frame.type" {
			kind = a.GetValue().GetStringValue()
			if kind == "" {
				kind = d.text(a.GetValue().GetStringValueStrindex())
			}
		}
	}
	base := frame{offset: l.GetAddress()}
	if l.GetMappingIndex() != 0 {
		m := d.GetMappingTable()[l.GetMappingIndex()]
		base.binary = d.text(m.GetFilenameStrindex())
		base.offset += m.GetFileOffset() - m.GetMemoryStart()
		base.buildID = d.buildID(m.GetAttributeIndices())
	} else if interpreted[kind] && len(l.GetLines()) > 0 {
		base.offset = 0
	}
	switch {
	case base.binary == "linux-vdso.1.so":
		base.binary = "[vdso]"
	case kind != "kernel" || strings.HasPrefix(base.binary, "["):
	case base.binary == "" || base.binary == "vmlinux":
		base.binary = "[kernel.kallsyms]"
	default:
		base.binary = "[" + base.binary + "]"
	}
	if len(l.GetLines()) == 0 {
		return []frame{base}
	}
	var out []frame
	for _, line := range l.GetLines() {
		f, fn := base, d.GetFunctionTable()[line.GetFunctionIndex()]
		f.name, f.system, f.file = d.text(fn.GetNameStrindex()), d.text(fn.GetSystemNameStrindex()), d.text(fn.GetFilenameStrindex())
		f.line = line.GetLine()
		out = append(out, f)
	}
	return out
}

func (d dictionary) buildID(attributes []int32) (id string) {
	for _, i := range attributes {
		a := d.GetAttributeTable()[i]
		value := a.GetValue().GetStringValue()
		if value == "" {
			value = d.text(a.GetValue().GetStringValueStrindex())
		}
		switch d.text(a.GetKeyStrindex()) {
		case "process.executable.build_id.gnu":
			return strings.ToLower(value)
		case "process.executable.build_id.go":
			id = value
		}
	}
	return id
}
