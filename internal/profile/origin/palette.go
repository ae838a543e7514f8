package origin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
)

// PaletteJSON is the palette as the page reads it: for each Origin a name, the
// label of the legend, a hue in degrees, and [saturation, lightness] in percent
// for the light and the dark theme.
//
//go:embed palette.json
var PaletteJSON []byte

// An origin's colour has hueSteps hues, chosen by the binary, and lightSteps
// lightnesses, chosen by the function, so that neighbours stay apart. The page
// (web/src/draw/palette.ts) has the same numbers.
const (
	hueSteps   = 3
	hueStep    = 10 // degrees
	lightSteps = 3
	lightStep  = 3 // percent
)

type entry struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Hue   int    `json:"hue"`
	Light [2]int `json:"light"`
	Dark  [2]int `json:"dark"`
}

var palette = sync.OnceValue(func() []entry {
	var es []entry
	if err := json.Unmarshal(PaletteJSON, &es); err != nil {
		panic(fmt.Sprintf("palette.json, which is part of the program, is no palette: %v", err))
	}
	return es
})

// Label is what the legend calls the origin.
func (o Origin) Label() string { return palette()[o].Label }

func (o Origin) String() string { return palette()[o].Name }

// Color is the light theme's colour of code of this origin, as #rrggbb. Library
// and name choose the shade.
func (o Origin) Color(library, name string) string {
	e := palette()[o]
	hue := e.Hue + hueStep*(int(hash(library)%hueSteps)-hueSteps/2)
	light := e.Light[1] + lightStep*(int(hash(name)%lightSteps)-lightSteps/2)
	return hex(float64(hue), float64(e.Light[0])/100, float64(light)/100)
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}

// hex turns hue, saturation and lightness into sRGB, as CSS Color 4 §7 defines it.
func hex(hue, s, l float64) string {
	f := func(n float64) int {
		k := n + hue/30
		for k >= 12 {
			k -= 12
		}
		a := s * min(l, 1-l)
		return int(255*(l-a*max(-1, min(k-3, 9-k, 1))) + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", f(0), f(8), f(4))
}
