package codename

import (
	"testing"

	"whyhot/internal/profile"
)

func TestMono(t *testing.T) {
	for in, want := range map[string]string{
		"Loader:Main (string[])":               "Loader.Main(string[])",
		"Shop.Cart/Line:.ctor (Shop.Item,int)": "Shop.Cart+Line..ctor(Shop.Item,int)",
		"string:Concat (string,string)":        "System.String.Concat(string,string)",
		"(wrapper managed-to-native) System.RuntimeType:GetMethods_native (System.RuntimeType,intptr)":                                                "System.RuntimeType.GetMethods_native(System.RuntimeType,intptr)",
		"(wrapper alloc) object:AllocVector (intptr,intptr)":                                                                                          "System.Object.AllocVector(intptr,intptr)",
		"System.Collections.Generic.List`1<int>:get_Item (int)":                                                                                       "System.Collections.Generic.List`1[int].get_Item(int)",
		"System.Linq.Enumerable:Count<int> (System.Collections.Generic.IEnumerable`1<int>)":                                                           "System.Linq.Enumerable.Count[int](System.Collections.Generic.IEnumerable`1[int])",
		"System.Collections.Generic.Dictionary`2<string, System.Collections.Generic.List`1<int>>:Add (string,System.Collections.Generic.List`1<int>)": "System.Collections.Generic.Dictionary`2[string, System.Collections.Generic.List`1[int]].Add(string,System.Collections.Generic.List`1[int])",
		"Stats:<Active>m__0 (int)": "Stats.<Active>m__0(int)",
	} {
		got, ok := JIT(in)
		if ok != (want != "") || got.Name != want || ok && got.Kind != profile.KindDotNet {
			t.Errorf("%q gives %+v, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"(wrapper runtime-invoke) <Module>:runtime_invoke_void_object (object,intptr,intptr,intptr)",
		"generic_trampoline_jit", "(null)", "a::b (int)", "f (int)", "case: x",
	} {
		if got, ok := JIT(in); ok {
			t.Errorf("%q is no method, got %+v", in, got)
		}
	}
}

func TestMonoImage(t *testing.T) {
	for in, want := range map[string]string{
		"System_Type_GetProperty_string_System_Reflection_BindingFlags":       "System.Type.GetProperty",
		"System_Reflection_PropertyInfo_SetValue_object_object_object__":      "System.Reflection.PropertyInfo.SetValue",
		"string_memset_byte__int_int":                                         "System.String.memset",
		"System_Collections_Generic_List_1_T_REF_Contains_T_REF":              "System.Collections.Generic.List`1.Contains",
		"uintptr_op_Inequality_uintptr_uintptr":                               "System.UIntPtr.op_Inequality",
		"System_UIntPtr_op_Inequality_uintptr_uintptr":                        "System.UIntPtr.op_Inequality",
		"System_Text_StringBuilder_get_Length":                                "System.Text.StringBuilder.get_Length",
		"System_Globalization_CompareInfo_IndexOf_string_string_int_int_bool": "System.Globalization.CompareInfo.IndexOf",
	} {
		got, ok := Image(in, "mscorlib.dll.so")
		if !ok || got.Name != want || got.Kind != profile.KindDotNet {
			t.Errorf("%q gives %+v, %v, want %q", in, got, ok, want)
		}
	}
	for symbol, binary := range map[string]string{"System_Type_GetProperty": "libc.so.6", "plt_end": "x.so", "plt__rgctx_fetch_1591": "mscorlib.dll.so", "": "mscorlib.dll.so", "unbox": "mscorlib.dll.so"} {
		if got, ok := Image(symbol, binary); ok {
			t.Errorf("%q in %s is no method, got %+v", symbol, binary, got)
		}
	}
}

func TestErlang(t *testing.T) {
	for in, want := range map[string]string{
		"$lists:nth/2":                                 "lists:nth/2",
		"$shop:ask/2-CodeInfoPrologue":                 "shop:ask/2",
		"$init:'-prepare_loading_fun/0-fun-0-'/3":      "init:-prepare_loading_fun/0-fun-0-/3",
		"$'Elixir.Enum':map/2":                         "Elixir.Enum:map/2",
		"$'Elixir.Enum':'at!'/2":                       "Elixir.Enum:at!/2",
		"$global::i_loop_rec_shared":                   "global::i_loop_rec_shared",
		"$erts_beamasm:normal_exit/0-CodeInfoPrologue": "erts_beamasm:normal_exit/0",
	} {
		if got, ok := JIT(in); !ok || got.Name != want || got.Kind != profile.KindJIT {
			t.Errorf("%q gives %+v, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"$", "$x", "$a:b", "$a:b/c", "$global::", "JIT$a:b/1x"} {
		if got, ok := JIT(in); ok && got.Kind == profile.KindJIT {
			t.Errorf("%q is no function of Erlang's, got %+v", in, got)
		}
	}
}
