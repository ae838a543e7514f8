package primitive

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// Names of recordings, and the operation that each shows; "" for names of functions that look
// like one and are none.
func TestNamesOfRecordings(t *testing.T) {
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ binary, name, want string }{
		{"/usr/bin/tclsh8.6/libtcl8.6.so", "Tcl_NewListObj", "linsert, lrange, lreplace or concat"},
		{"/usr/lib/libtcl8.6.so", "TclListObjSetElement", "linsert, lrange, lreplace or concat"},
		{"/usr/lib/libtcl8.6.so", "TclFreeObj", ""},
		{"/usr/bin/lua5.4", "lua_geti", "table.insert/remove at the front"},
		{"/usr/bin/lua5.4", "lua_pcallk", ""},
		{"/home/u/ops", "camlStdlib__List__nth_aux_107", "List.nth"},
		{"/home/u/ops", "camlStdlib__List__assoc_opt_377", "List.mem, assoc or find"},
		{"/home/u/ops", "camlStdlib__List__mem_361", "List.mem, assoc or find"},
		{"/home/u/ops", "camlStdlib__List__length_aux_84", "List.length"},
		{"/home/u/ops", "camlStdlib__$40_197", "@"},
		{"/home/u/ops", "camlStdlib__$5e_140", "^"},
		{"/home/u/ops", "camlStdlib__List__rev_append_93", ""},
		{"/home/u/ops", "camlStdlib__List__iter_256", ""},
		{"/usr/lib/mono/mscorlib.dll.so", "System_Collections_Generic_List_1_T_REF_Contains_T_REF_", "Contains, IndexOf or Find"},
		{"/usr/lib/mono/mscorlib.dll.so", "string_Substring_int_", "Substring"},
		{"/usr/lib/mono/mscorlib.dll.so", "string_Concat_object_object_", "+ on a string"},
		{"/usr/lib/mono/mscorlib.dll.so", "System_Text_StringBuilder_Remove_int_int_", "Insert or Remove at the front"},
		{"/usr/lib/mono/mscorlib.dll.so", "System_Text_StringBuilder_Append_char_", ""},
		{"", "System.Collections.Generic.List`1[System.__Canon].Contains", "Contains, IndexOf or Find"},
		{"", "System.Collections.Generic.HashSet`1[System.__Canon].Contains", ""},
		{"", "int java.util.ArrayList.indexOf(java.lang.Object)", "contains or indexOf"},
		{"", "java.util.LinkedList$Node java.util.LinkedList.node(int)", "get"},
		{"", "boolean java.util.HashMap.containsKey(java.lang.Object)", ""},
		{"/usr/bin/python3.11", "list_contains", "in, index, count or remove"},
		{"/usr/bin/python3.11", "set_contains", ""},
		{"/usr/bin/python3.11", "list_append", ""},
		{"/usr/lib/libruby-3.1.so", "rb_ary_includes", "include?, index or delete"},
		{"/usr/lib/libruby-3.1.so", "rb_ary_push", ""},
		{"/usr/bin/php8.2", "array_merge", "array_merge in a loop"},
		{"/usr/bin/perl", "Perl_pp_push", ""},
		{"/home/u/ops", "alloc::vec::Vec<T,A>::remove", "insert or remove at the front"},
		{"/home/u/ops", "alloc::vec::Vec<T,A>::push", ""},
		{"/home/u/ops", "slices.Contains[go.shape.[]int,go.shape.int]", "slices.Contains"},
		{"/usr/lib/libc.so.6", "__strcat_avx2", "strcat"},
		{"/usr/lib/libc.so.6", "__strlen_avx2", ""},
		{"/usr/lib/erlang/erts/bin/beam.smp", "lists_member_2", "lists:member or keyfind"},
		{"/usr/lib/erlang/erts/bin/beam.smp", "copy_struct_x", "A reply"},
		{"/usr/lib/erlang/erts/bin/beam.smp", "copy_shallow_x", ""},
		{"/home/u/grants", "base_DataziOldList_deleteBy_info", "union, nub or elem"},
		{"", "scala.collection.LinearSeqOps.apply(int)", "apply, length or last"},
	} {
		shows, _ := table.Of(&profile.Function{Name: c.name}, c.binary)
		var got []string
		for _, i := range shows {
			got = append(got, table.Rows[i].Operation)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s shows %q, want %q", c.name, got, c.want)
		}
	}
}

// Where the runtime does not say which line runs, a script does: an assignment to another
// variable is no accumulation.
func TestLinesOfScripts(t *testing.T) {
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language, operation, line string
		want                      bool
	}{
		{"R", "c or append", "    all <- c(all, i * 2)", true},
		{"R", "c or append", "    pair <- c(1, 2)", false},
		{"R", "c or append", "    length(c(items, i))", true},
		{"R", "%in%, match or which", "if (!(key %in% seen)) next", true},
		{"Go", "append(x[:i], append(y, x[j:]...)...)", "\treturn append(slice[:index], append(elements, slice[index+amount:]...)...)", true},
		{"Go", "append(x[:i], append(y, x[j:]...)...)", "\tall = append(all[:n], append(head, tail[1:]...)...)", false},
		{"JavaScript", "slice + text + slice", "  return str.slice(0, index) + ch + str.slice(index + 1)", true},
		{"JavaScript", "slice + text + slice", "  return a.slice(0, index) + ch + b.slice(index + 1)", false},
		{"Go", "append(x[:i], x[i+1:]...)", "\tq.events = append(q.events[:0], q.events[1:]...)", true},
		{"Go", "append(x[:i], x[i+1:]...)", "\tdata.Row = append(data.Row[:k], data.Row[k+1:]...)", true},
		{"Go", "append(x[:i], x[i+1:]...)", "\tcopy(rows[k:], rows[k+1:])", true},
		{"Go", "append(x[:i], x[i+1:]...)", "\tout = append(head[:k], tail[k+1:]...)", false},
		{"Go", "append(x[:i], x[i+1:]...)", "\tkept = append(kept, rows[k])", false},
		{"Lua", "..", "out = out .. piece", true},
		{"Lua", "..", "print(name, value, ...)", false},
		{"Lua", "table.insert/remove at the front", "local job = table.remove(queue, 1)", true},
		{"Lua", "table.insert/remove at the front", "table.remove(stack)", false},
		{"Octave", "x(end+1) or [x, y]", "  y(end+1) = x * 2;", true},
		{"Octave", "x(end+1) or [x, y]", "  pair = [x, y];", false},
		{"Erlang", "A reply", "  def all, do: Agent.get(__MODULE__, & &1)", true},
		{"Erlang", "A reply", "  all = pid |> Agent.get(fn s -> s end)", true},
		{"Erlang", "A reply", "  Agent.get(pid, &Map.fetch(&1, key))", false},
		{"Erlang", "A reply", "  Agent.get(pid, & &1.count)", false},
		{"Erlang", "A reply", "handle_call(all, _From, State) -> {reply, State, State};", true},
		{"Erlang", "A reply", "    {:reply, Map.get(state, key), state}", false},
		{"Haskell", "union, nub or elem", "join a b = a `union` b", true},
		{"Haskell", "union, nub or elem", "import Data.List (nub, union)", false},
		{"Haskell", "union, nub or elem", "join a b = Set.union a b", false},
		{"Haskell", "union, nub or elem", "-- the union of both", false},
	} {
		found := false
		for i := range table.Rows {
			if r := &table.Rows[i]; r.Language == c.language && r.Operation == c.operation && len(r.Source) > 0 {
				found = true
				if got := len(r.Written([]string{"", c.line})) > 0; got != c.want {
					t.Errorf("%s, %s: %q is %v, want %v", c.language, c.operation, c.line, got, c.want)
				}
			}
		}
		if !found {
			t.Errorf("no row %s, %s", c.language, c.operation)
		}
	}
}

// A line that adds to the variable itself goes before one that joins others.
func TestTheLikelierLineOfAScript(t *testing.T) {
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Language == "Lua" && r.Operation == ".." && len(r.Source) > 0 {
			if got := r.Written([]string{"local line = name .. value", "out = out .. line"}); len(got) != 1 || got[0] != 2 {
				t.Errorf("%v", got)
			}
		}
	}
}

func TestMistakesInTheTable(t *testing.T) {
	good := "- {language: C, operation: strcat, does: walks, container: text, frames: [strcat], cure: stpcpy.}\n"
	if _, err := read("t.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for old, with := range map[string]string{
		"does: walks":       "does: runs",
		"frames: [strcat]":  "frames: ['(']",
		"cure: stpcpy.":     "cure: ''",
		"operation: strcat": "operation: ''",
		"frames: [strcat],": "tight: true,",
		"language: C":       "idiom: C",
	} {
		if _, err := read("t.yaml", []byte(strings.Replace(good, old, with, 1))); err == nil || !strings.HasPrefix(err.Error(), "t.yaml:") {
			t.Errorf("%s: %v", with, err)
		}
	}
}

// The same word is an operation in one language only, and costs what it costs in a loop.
func TestWordsOfOneLanguage(t *testing.T) {
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	operation := func(name string, kind profile.Kind) string {
		shows, _ := table.Of(&profile.Function{Name: name, Kind: kind}, "")
		if len(shows) != 1 {
			return ""
		}
		return table.Rows[shows[0]].Operation
	}
	for _, c := range []struct {
		name string
		kind profile.Kind
		want string
	}{
		{"c", profile.KindR, "c or append"}, {"c", profile.KindPHP, ""}, {"rbind", profile.KindR, "rbind or cbind"},
		{"[<-.data.frame", profile.KindR, "assignment to an element"}, {"[<-", profile.KindR, ""}, {"match", profile.KindJS, ""},
		{"..", profile.KindLua, ".."}, {"table.remove", profile.KindLua, "table.insert/remove at the front"},
	} {
		if got := operation(c.name, c.kind); got != c.want {
			t.Errorf("%s of %v: %q", c.name, c.kind, got)
		}
	}
	shows, _ := table.Of(&profile.Function{Name: "c", Kind: profile.KindR}, "")
	r := &table.Rows[shows[0]]
	text := []string{"f <- function(n) {", "  a <- c(1, n)", "  for (i in 1:n) {", "", "    a <- c(a, i)", "  }", "  b <- c(a, a)", "  while (n > 0) a <- c(a, n)", "  lapply(a, function(x) {", "    c(x, a)", "  })", "}"}
	for line, want := range map[int]bool{0: false, 2: false, 5: true, 7: false, 8: true, 10: true, 13: false} {
		if got := r.Repeats(text, line); got != want {
			t.Errorf("line %d is in a loop: %v", line, got)
		}
	}
}
