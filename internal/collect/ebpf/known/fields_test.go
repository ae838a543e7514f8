package known

import "testing"

const format = `name: task_newtask
ID: 205
format:
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:pid_t pid;	offset:8;	size:4;	signed:1;
	field:char comm[16];	offset:12;	size:16;	signed:0;
	field:u64 clone_flags;	offset:32;	size:8;	signed:0;
`

func TestFields(t *testing.T) {
	if got, err := parseFields(format); err != nil || got != (fields{pid: 8, flags: 32}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "	field:pid_t pid;	offset:8;	size:8;	signed:1;", "	field:pid_t pid;	offset:8;	size:4;	signed:1;"} {
		if got, err := parseFields(bad); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}
