package otlp

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"whyhot/internal/profile"
)

// resourceLabels are the labels that all samples of a resource share.
func resourceLabels(attributes pcommon.Map) []profile.Label {
	var out []profile.Label
	for key, value := range attributes.All() {
		if l, ok := label(key, value, value.AsString); ok {
			out = append(out, l)
		}
	}
	return unique(out)
}

// label converts one attribute. The executable's path says no more than its name,
// and which processor it was nothing about the program. text writes down a value
// that is neither text nor a whole number.
func label(key string, value pcommon.Value, text func() string) (profile.Label, bool) {
	if key == "" || key == attrPath || key == attrCPU || key == attrCount {
		return profile.Label{}, false
	}
	l := profile.Label{Key: key}
	if ours, ok := labelByAttribute[key]; ok {
		l.Key = ours
	}
	switch value.Type() { //nolint:exhaustive // the others are text here
	case pcommon.ValueTypeStr:
		l.Str = value.Str()
	case pcommon.ValueTypeInt:
		l.Num = value.Int()
	case pcommon.ValueTypeEmpty:
		return profile.Label{}, false
	default:
		l.Str = text()
	}
	switch l.Key {
	case profile.LabelPID, profile.LabelTID:
		return l, l.Str == "" // a number
	case profile.LabelProcess, profile.LabelThread, profile.LabelContainer:
		return l, l.Str != ""
	}
	return l, true
}

// unique keeps the last label of each key: a sample's own goes before that of its
// resource. The name that whyhot wrote goes before the executable's.
func unique(labels []profile.Label) []profile.Label {
	out := labels[:0:0]
	for _, l := range slices.Backward(labels) {
		if !slices.ContainsFunc(out, func(o profile.Label) bool { return o.Key == l.Key }) {
			out = append(out, l)
		}
	}
	return out
}

// labels are those of one sample, and how often the sampler fired where that is
// told apart from the value (0 where it is not).
func (t *tables) labels(attributes pcommon.Int32Slice, resource []profile.Label) (out []profile.Label, count int64, err error) {
	out = slices.Clip(resource)
	for _, i := range attributes.All() {
		key, value, err := t.attribute(i)
		if err != nil {
			return nil, 0, err
		}
		if key == attrCount && value.Type() == pcommon.ValueTypeInt {
			count = value.Int()
		}
		if l, ok := label(key, value, func() string { return t.written(i, value) }); ok {
			if unit, err := t.text(t.dict.AttributeTable().At(int(i)).UnitStrindex()); err == nil {
				l.Unit = unit
			}
			out = append(out, l)
		}
	}
	return unique(out), count, nil
}

// written is an attribute's value as text. A list may be long, and many samples
// have it: it is written down once.
func (t *tables) written(i int32, value pcommon.Value) string {
	text, ok := t.texts[i]
	if !ok {
		text = value.AsString()
		t.texts[i] = text
	}
	return text
}
