package interval

import (
	"cmp"
	"container/heap"
	"slices"
)

// BuildLayered flattens n spans of which each later one lies on top of all
// earlier ones, wherever they overlap.
func BuildLayered(n int, span func(i int) Span) Map {
	type edge struct {
		at    uint64
		index int
		open  bool
	}
	edges := make([]edge, 0, 2*n)
	for i := range n {
		if s := span(i); s.Low < s.High {
			edges = append(edges, edge{s.Low, i, true}, edge{s.High, i, false})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var m Map
	var top layers
	ended := make([]bool, n)
	for i := 0; i < len(edges); {
		at := edges[i].at
		for ; i < len(edges) && edges[i].at == at; i++ {
			if edges[i].open {
				heap.Push(&top, edges[i].index)
			} else {
				ended[edges[i].index] = true
			}
		}
		for len(top) > 0 && ended[top[0]] {
			heap.Pop(&top)
		}
		id := int32(none)
		if len(top) > 0 {
			id = span(top[0]).ID
		}
		m.put(at, id)
	}
	return m
}

// layers is a heap of the open spans, the latest on top.
type layers []int

func (l *layers) Len() int           { return len(*l) }
func (l *layers) Less(i, j int) bool { return (*l)[i] > (*l)[j] }
func (l *layers) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

// Push implements heap.Interface.
func (l *layers) Push(x any) {
	if i, ok := x.(int); ok {
		*l = append(*l, i)
	}
}

// Pop implements heap.Interface.
func (l *layers) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
