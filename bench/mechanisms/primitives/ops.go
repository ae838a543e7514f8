//go:build ignore

// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
package main

import (
	"bytes"
	"container/list"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

var (
	items  []int
	names  []string
	text   string
	data   []byte
	linked = list.New()
	other  = map[int]int{}
	sink   int
)

//go:noinline
func work(i int) { other[i%64] += i % 7 }

var ops = map[string]func(i int){"member": member, "texts": texts, "insert": insert, "remove": remove, "front": front, "plus": plus,
	"clone": clone, "convert": convert, "back": back, "find": find, "format": format, "split": split, "repeat": repeat}

func member(i int) {
	if slices.Contains(items, -i-1) { // WASTE member
		sink++
	}
}

func texts(i int) {
	if slices.Index(names, "none") > 0 { // WASTE texts
		sink++
	}
}

func insert(i int) {
	items = slices.Insert(items, 0, i) // WASTE insert
	items = items[:len(items)-1]
}

func remove(i int) {
	items = append(items, i)
	items = slices.Delete(items, 0, 1) // WASTE remove
}

func front(i int) {
	grown := append([]int{i}, items...) // WASTE front
	sink += len(grown)
}

func plus(i int) {
	grown := text + strconv.Itoa(i) // WASTE plus
	sink += len(grown)
}

func clone(i int) {
	c := slices.Clone(items) // WASTE clone
	c[0] = i
	sink += len(c)
}

func convert(i int) {
	c := []byte(text) // WASTE convert
	c[0] = byte(i)
	sink += len(string(c))
}

func back(i int) {
	data = append(data[1:], byte(i))
	sink += len(string(data)) // WASTE back
}

func find(i int) {
	sink += strings.Index(text, "q") // WASTE find
}

func format(i int) {
	grown := fmt.Sprintf("%s%d", text, i) // WASTE format
	sink += len(grown)
}

func split(i int) {
	sink += len(strings.Split(text, ",")) // WASTE split
}

func repeat(i int) {
	sink += bytes.Count(data, []byte("q")) // WASTE repeat
}

func main() {
	length, _ := strconv.Atoi(os.Args[2])
	rounds, _ := strconv.Atoi(os.Args[3])
	for i := range length {
		items = append(items, i)
		names = append(names, "name "+strconv.Itoa(i))
		linked.PushBack(i)
	}
	text = strings.Repeat("abcdefg,", length/8+1)[:length]
	data = []byte(text)
	run := ops[os.Args[1]]
	for i := range rounds {
		run(i)
		work(i)
	}
	fmt.Println(sink)
}
