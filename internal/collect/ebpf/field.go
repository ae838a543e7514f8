package ebpf

import (
	"fmt"
	"reflect"
	"unsafe"

	"go.opentelemetry.io/ebpf-profiler/tracer"
)

// placeOf is where the profiler has something that it does not hand out: the field of its
// Tracer that the names lead to. It fails where this version of the profiler has none there,
// or one of another type.
func placeOf[T any](t *tracer.Tracer, names ...string) (*T, error) {
	v, err := fieldOf(t, names...)
	if err != nil {
		return nil, err
	}
	if want := reflect.TypeFor[T](); v.Type() != want {
		return nil, fmt.Errorf("this version of the profiler has a %s, not a %s, in its field %s", v.Type(), want, names[len(names)-1])
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr())), nil //nolint:gosec // its type was checked
}

// fieldOf is the field that the names lead to.
func fieldOf(t *tracer.Tracer, names ...string) (reflect.Value, error) {
	v := reflect.ValueOf(t)
	for _, name := range names {
		if v = reflect.Indirect(v).FieldByName(name); !v.IsValid() {
			return v, fmt.Errorf("this version of the profiler has no field %s", name)
		}
	}
	return v, nil
}
