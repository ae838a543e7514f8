// Reads the page's template from disk for each request; "mend" reads it once.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

const path = "/tmp/mech-page.html"

func page(name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return strings.Replace(string(text), "{name}", name, 1)
}

var kept string

func pageKept(name string) string {
	if kept == "" {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		kept = string(text)
	}
	return strings.Replace(kept, "{name}", name, 1)
}

func main() {
	if err := os.WriteFile(path, []byte("<h1>Dear {name}</h1>"+strings.Repeat("<p>text</p>", 20)), 0o644); err != nil {
		panic(err)
	}
	n, _ := strconv.Atoi(os.Args[2])
	make := page
	if os.Args[1] == "mend" {
		make = pageKept
	}
	length := 0
	for i := range n {
		length += len(make(strconv.Itoa(i)))
	}
	fmt.Println(length)
}
