package codename

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

var (
	// erlangFunction is "$module:function/arity"; atoms may be quoted.
	erlangFunction = regexp.MustCompile(`^\$('[^']+'|[\w@]+):('[^']*'|[\w@]+)/(\d+)(-CodeInfoPrologue)?$`)
	// erlangShared is code of the runtime's own: "$global::call_light_bif_shared".
	erlangShared = regexp.MustCompile(`^\$global::(\w+)$`)
)

// erlang reads a name of the map of Erlang's compiler (erts, beam/jit/beam_jit_metadata.cpp).
// The quotes of names of modules and functions are left out: 'Elixir.Enum':map/2 is
// Elixir.Enum:map/2.
func erlang(symbol string) (Parsed, bool) {
	if m := erlangFunction.FindStringSubmatch(symbol); m != nil {
		return Parsed{Name: strings.Trim(m[1], "'") + ":" + strings.Trim(m[2], "'") + "/" + m[3], Kind: profile.KindJIT}, true
	}
	if m := erlangShared.FindStringSubmatch(symbol); m != nil {
		return Parsed{Name: "global::" + m[1], Kind: profile.KindJIT}, true
	}
	return Parsed{}, false
}
