//go:build ignore

// Command tree builds and walks trees that the garbage collector follows.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

type node struct {
	left, right *node
	key         uint64
}

func insert(n *node, key uint64) *node {
	if n == nil {
		return &node{key: key}
	}
	if key < n.key {
		n.left = insert(n.left, key)
	} else {
		n.right = insert(n.right, key)
	}
	return n
}

func walk(n *node, keys []uint64) []uint64 {
	if n == nil {
		return keys
	}
	return walk(n.right, append(walk(n.left, keys), n.key))
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var root *node
	x := uint64(1)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
		root = insert(root, x>>11)
	}
	keys := walk(root, nil)
	fmt.Println(len(keys), slices.IsSorted(keys))
}
