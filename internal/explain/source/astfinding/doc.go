// Package astfinding says what the AST layer's matches mean: it turns them into
// findings and joins them with the findings of the IR layer.
//
// It owns the titles and advice of the AST rules. Where both layers mean the
// same source loop there is one finding: the IR layer's, which the AST's places
// explain. It takes outcomes of package analyzer and findings of package
// loopfinding and gives findings. It must never run anything or read a file.
package astfinding
