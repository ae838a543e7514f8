//go:build ignore

// A search tree gets deeper.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type node struct {
	key         uint64
	left, right *node
}

func insert(t *node, key uint64) *node {
	if t == nil {
		return &node{key: key}
	}
	if key < t.key {
		t.left = insert(t.left, key)
	} else {
		t.right = insert(t.right, key)
	}
	return t
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var root *node
	key := uint64(1)
	for range n {
		key = key*6364136223846793005 + 1442695040888963407
		root = insert(root, key)
	}
	fmt.Println(root.key)
}
