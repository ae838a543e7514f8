// Each body has a decoder and a reader of its own, as bodies have.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

type order struct {
	ID    int
	Lines []struct{ SKU string }
}

func decode(text []byte) int {
	var o order
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&o); err != nil {
		panic(err)
	}
	return len(o.Lines)
}

func main() {
	text := []byte(`{"ID": 5, "Lines": [{"SKU": "a"}, {"SKU": "b"}, {"SKU": "c"}]}`)
	sum := 0
	for range 900_000 {
		sum += decode(text)
	}
	fmt.Println(sum)
}
