package bucket

import (
	"strings"
	"testing"
)

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"s3://debug": "", "s3://debug/a/b?region=eu-central-1": "", "s3://debug?endpoint=http://minio:9000": "", "s3://debug/x/?endpoint=https://h/": "",
		"": "must be s3://", "debug": "must be s3://", "https://debug/x": "must be s3://", "s3:///x": "must be s3://", "s3://%zz": "cannot be read",
		"s3://KEY:secret@debug/x": "keys do not belong", "s3://De_bug": "no name of a bucket", "s3://x": "no name of a bucket",
		"s3://debug/../x": "prefix", "s3://debug/a//b": "prefix", "s3://debug/a b": "prefix",
		"s3://debug?flavour=x": "flavour", "s3://debug?region=a&region=b": "region",
		"s3://debug?endpoint=minio:9000": "endpoint", "s3://debug?endpoint=https://h/path": "endpoint", "s3://debug?endpoint=https://u:p@h": "endpoint",
	} {
		_, err := Open(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzKeys(f *testing.F) {
	b, err := Open("s3://debug/a/b")
	if err != nil {
		f.Fatal(err)
	}
	b = b.In("shop")
	f.Add("a/b/shop/ab/cdef.debug")
	f.Add("a/b/shop/../x")
	f.Fuzz(func(t *testing.T, key string) {
		if id := b.idOf(key); id != "" && b.key(id) != key {
			t.Errorf("%q is of %q, whose key is %q", key, id, b.key(id))
		}
	})
}
