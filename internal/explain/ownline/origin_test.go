package ownline

import (
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// What a runtime carries with it is not the program's own, though no path says so.
func TestCodeOfRuntimes(t *testing.T) {
	for name, c := range map[string]struct {
		fn   profile.Function
		want origin.Origin
	}{
		"a script":                              {profile.Function{Name: "main", File: "sums.py", Kind: profile.KindPython}, origin.Own},
		"a frozen module":                       {profile.Function{Name: "main", File: "site.py", Kind: profile.KindPython}, origin.Library},
		"a file of a user's with such a name":   {profile.Function{Name: "main", File: "/home/me/site.py", Kind: profile.KindPython}, origin.Own},
		"a function called like a library":      {profile.Function{Name: "base_charge", File: "/home/me/tariff.py", Kind: profile.KindPython}, origin.Own},
		"one in C":                              {profile.Function{Name: "text_encode", File: "/home/me/text.c", Kind: profile.KindNative}, origin.Own},
		"one called like the start of a thread": {profile.Function{Name: "clone", File: "/home/me/copy.py", Kind: profile.KindPython}, origin.Own},
		"a library of Haskell":                  {profile.Function{Name: "base_GHCziShow_zdwshowSignedInt_info", Kind: profile.KindNative}, origin.Library},
		"a header of another root":              {profile.Function{Name: "boost::format", File: "/sysroot/usr/include/boost/format.hpp", Kind: profile.KindNative}, origin.Library},
		"a header of the user's":                {profile.Function{Name: "sum", File: "/home/me/include/sum.h", Kind: profile.KindNative}, origin.Own},
		"a method":                              {profile.Function{Name: "long Sums.of(int)", File: "Sums.java", Kind: profile.KindJava}, origin.Own},
		"a function of Erlang's library":        {profile.Function{Name: "lists:nth/2", Kind: profile.KindJIT}, origin.Library},
		"one of Elixir's":                       {profile.Function{Name: "Elixir.Enum:map/2", Kind: profile.KindJIT}, origin.Library},
		"one of a user's module":                {profile.Function{Name: "Elixir.Shop.Cart:total/1", Kind: profile.KindJIT}, origin.Own},
		"one of a user's in Erlang":             {profile.Function{Name: "shop:total/1", Kind: profile.KindJIT}, origin.Own},
		"what Erlang generates for itself":      {profile.Function{Name: "global::i_loop_rec_shared", Kind: profile.KindJIT}, origin.Runtime},
		"a method of Mono's library":            {profile.Function{Name: "System.Type.GetProperty", Kind: profile.KindDotNet}, origin.Library},
		"a method of a user's":                  {profile.Function{Name: "Loader.Fill(Row)", Kind: profile.KindDotNet}, origin.Own},
		"the way into Mono's code":              {profile.Function{Name: "(wrapper runtime-invoke) <Module>:runtime_invoke_void (object)", Kind: profile.KindJIT}, origin.Runtime},
		"a trampoline of Mono's":                {profile.Function{Name: "generic_trampoline_jit", Kind: profile.KindJIT}, origin.Runtime},
		"what serde derives":                    {profile.Function{Name: "shop::model::_::<impl serde_core::de::Deserialize for shop::model::Item>::deserialize", File: "/home/me/src/model.rs", Kind: profile.KindNative}, origin.Library},
		"the same in names of version 0":        {profile.Function{Name: "shop::model::::<impl serde_core::de::Deserialize for shop::model::Item>::deserialize", File: "/home/me/src/model.rs", Kind: profile.KindNative}, origin.Library},
		"a trait that a user implements":        {profile.Function{Name: "shop::model::<impl core::fmt::Display for shop::Item>::fmt", File: "/home/me/src/model.rs", Kind: profile.KindNative}, origin.Own},
		"a library of Java":                     {profile.Function{Name: "com.fasterxml.jackson.databind.JavaType com.fasterxml.jackson.databind.introspect.AnnotatedField.getType()", File: "AnnotatedField.java", Kind: profile.KindJava}, origin.Library},
		"a method that gives one's type":        {profile.Function{Name: "com.fasterxml.jackson.databind.JsonNode fleet.Decoder.read(byte[])", File: "Decoder.java", Kind: profile.KindJava}, origin.Own},
		"a stub":                                {profile.Function{Name: "StubRoutines (2) [arrayof_jbyte_disjoint_arraycopy]", Kind: profile.KindJava}, origin.Library},
		"a stub without such":                   {profile.Function{Name: "vtable stub", Kind: profile.KindJava}, origin.Library},
	} {
		b := profile.NewBuilder()
		c.fn.Mapping = b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1, Limit: 1 << 40})
		id := b.Function(c.fn)
		if got := Origin(b.Build(profile.Meta{}), id); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
