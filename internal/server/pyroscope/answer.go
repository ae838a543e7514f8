package pyroscope

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/store"
)

// ProfileTypes lists the one type that there is.
func ProfileTypes(context.Context, Store, time.Time, *querierv1.ProfileTypesRequest) (*querierv1.ProfileTypesResponse, error) {
	return &querierv1.ProfileTypesResponse{ProfileTypes: []*typesv1.ProfileType{{
		ID: ProfileType, Name: "process_cpu", SampleType: "cpu", SampleUnit: "nanoseconds", PeriodType: "cpu", PeriodUnit: "nanoseconds",
	}}}, nil
}

// LabelNames lists the labels of samples that selectors choose.
func LabelNames(ctx context.Context, s Store, now time.Time, r *typesv1.LabelNamesRequest) (*typesv1.LabelNamesResponse, error) {
	sel, none, err := selection("", r.GetMatchers(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return &typesv1.LabelNamesResponse{}, err
	}
	keys := keysOf(s)
	sets, err := s.LabelSets(ctx, sel, keys)
	if err != nil || len(sets) == 0 {
		return &typesv1.LabelNamesResponse{}, err
	}
	out := &typesv1.LabelNamesResponse{}
	for name := range constants {
		out.Names = append(out.Names, name)
	}
	for i, k := range keys {
		if slices.ContainsFunc(sets, func(set []string) bool { return set[i] != "" }) {
			out.Names = append(out.Names, nameOf(k))
		}
	}
	slices.Sort(out.Names)
	return out, nil
}

func keysOf(s Store) (out []store.Dimension) {
	for _, k := range s.LabelKeys() {
		out = append(out, k.Key)
	}
	return out
}

// LabelValues lists the values of a label.
func LabelValues(ctx context.Context, s Store, now time.Time, r *typesv1.LabelValuesRequest) (*typesv1.LabelValuesResponse, error) {
	sel, none, err := selection("", r.GetMatchers(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return &typesv1.LabelValuesResponse{}, err
	}
	if value, constant := constants[r.GetName()]; constant {
		return &typesv1.LabelValuesResponse{Names: []string{value}}, nil
	}
	by, err := dimensionOf(r.GetName())
	if err != nil {
		return nil, err
	}
	list, err := s.Labels(ctx, sel, by)
	if err != nil {
		return nil, err
	}
	out := &typesv1.LabelValuesResponse{}
	for _, v := range list {
		if v.Value != "" {
			out.Names = append(out.Names, v.Value)
		}
	}
	slices.Sort(out.Names)
	return out, nil
}

// Series lists which combinations of labels there are.
func Series(ctx context.Context, s Store, now time.Time, r *querierv1.SeriesRequest) (*querierv1.SeriesResponse, error) {
	sel, none, err := selection("", r.GetMatchers(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return &querierv1.SeriesResponse{}, err
	}
	var names []string
	keys := keysOf(s)
	for _, k := range keys {
		names = append(names, nameOf(k))
	}
	fixed := []*typesv1.LabelPair{}
	if wanted := r.GetLabelNames(); len(wanted) > 0 {
		names, keys = nil, nil
		for _, name := range wanted {
			if value, constant := constants[name]; constant {
				fixed = append(fixed, &typesv1.LabelPair{Name: name, Value: value})
				continue
			}
			d, err := dimensionOf(name)
			if err != nil {
				return nil, err
			}
			names, keys = append(names, name), append(keys, d)
		}
	} else {
		for name, value := range constants {
			fixed = append(fixed, &typesv1.LabelPair{Name: name, Value: value})
		}
	}
	sets, err := s.LabelSets(ctx, sel, keys)
	if err != nil {
		return nil, err
	}
	out := &querierv1.SeriesResponse{}
	for _, set := range sets {
		labels := slices.Clone(fixed)
		for i, value := range set {
			if value != "" {
				labels = append(labels, &typesv1.LabelPair{Name: names[i], Value: value})
			}
		}
		slices.SortFunc(labels, func(a, b *typesv1.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) })
		if len(labels) > 0 {
			out.LabelsSet = append(out.LabelsSet, &typesv1.Labels{Labels: labels})
		}
	}
	return out, nil
}

// Bounds of the nodes of a flame graph.
const (
	usualNodes = 8192
	maxNodes   = 200_000
)

func nodesOf(wanted int64) int64 {
	if wanted <= 0 {
		return usualNodes
	}
	return min(wanted, maxNodes)
}

// SelectMergeStacktraces gives what is chosen as a flame graph, or as a pprof file.
func SelectMergeStacktraces(ctx context.Context, s Store, now time.Time, r *querierv1.SelectMergeStacktracesRequest) (*querierv1.SelectMergeStacktracesResponse, error) {
	switch {
	case len(r.GetProfileIdSelector())+len(r.GetTraceIdSelector())+len(r.GetSpanSelector()) > 0:
		return nil, unsupported("choosing samples by profile, trace or span: whyhot keeps none of these")
	case r.GetAsync().GetType() != querierv1.AsyncQueryType_ASYNC_QUERY_TYPE_DISABLED || r.GetAsync().GetRequestId() != "":
		return nil, unsupported("queries that are answered later")
	}
	switch r.GetFormat() { //nolint:exhaustive // the rest is refused
	case querierv1.ProfileFormat_PROFILE_FORMAT_UNSPECIFIED, querierv1.ProfileFormat_PROFILE_FORMAT_FLAMEGRAPH:
		root := newNode("")
		if err := addTree(ctx, s, now, r, root, 0, nodesOf(r.GetMaxNodes())); err != nil {
			return nil, err
		}
		root.prune(nodesOf(r.GetMaxNodes()))
		return &querierv1.SelectMergeStacktracesResponse{Flamegraph: flameGraph(root)}, nil
	case querierv1.ProfileFormat_PROFILE_FORMAT_PPROF:
		p, err := SelectMergeProfile(ctx, s, now, &querierv1.SelectMergeProfileRequest{
			ProfileTypeID: r.GetProfileTypeID(), LabelSelector: r.GetLabelSelector(), Start: r.GetStart(), End: r.GetEnd(), StackTraceSelector: r.GetStackTraceSelector(),
		})
		if err != nil {
			return nil, err
		}
		return &querierv1.SelectMergeStacktracesResponse{Pprof: &querierv1.PprofProfile{Profile: p}}, nil
	}
	return nil, unsupported("the format " + r.GetFormat().String())
}

// addTree puts what a request chooses on one side of a node.
func addTree(ctx context.Context, s Store, now time.Time, r *querierv1.SelectMergeStacktracesRequest, to *node, side int, most int64) error {
	sel, none, err := chosen(s, r.GetProfileTypeID(), r.GetLabelSelector(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return err
	}
	site := r.GetStackTraceSelector().GetCallSite()
	if len(site) > 0 { // what it has may be small in the whole
		most = maxNodes
	}
	t, err := s.Tree(ctx, sel, store.TreeOptions{MaxNodes: int(most)})
	if err != nil || len(t.Total) == 0 {
		return err
	}
	to.add(t, side)
	if len(site) > 0 {
		names := make([]string, 0, len(site))
		for _, l := range site {
			names = append(names, l.GetName())
		}
		to.keepBelow(names)
	}
	return nil
}

// Diff compares two selections.
func Diff(ctx context.Context, s Store, now time.Time, r *querierv1.DiffRequest) (*querierv1.DiffResponse, error) {
	if r.GetLeft() == nil || r.GetRight() == nil {
		return nil, invalid("a comparison needs left and right")
	}
	root := newNode("")
	for side, one := range []*querierv1.SelectMergeStacktracesRequest{r.GetLeft(), r.GetRight()} {
		if len(one.GetStackTraceSelector().GetCallSite()) > 0 {
			return nil, unsupported("a stack trace selector for comparisons")
		}
		// What is small on one side may be large on the other: all of both is looked at.
		if err := addTree(ctx, s, now, one, root, side, maxNodes); err != nil {
			return nil, err
		}
	}
	root.prune(nodesOf(max(r.GetLeft().GetMaxNodes(), r.GetRight().GetMaxNodes())))
	return &querierv1.DiffResponse{Flamegraph: flameGraphDiff(root)}, nil
}

// SelectMergeProfile gives what is chosen as a pprof profile.
func SelectMergeProfile(ctx context.Context, s Store, now time.Time, r *querierv1.SelectMergeProfileRequest) (*googlev1.Profile, error) {
	if len(r.GetProfileIdSelector())+len(r.GetTraceIdSelector()) > 0 {
		return nil, unsupported("choosing samples by profile or trace: whyhot keeps neither")
	}
	if len(r.GetStackTraceSelector().GetCallSite()) > 0 {
		return nil, unsupported("a stack trace selector for pprof files")
	}
	sel, none, err := chosen(s, r.GetProfileTypeID(), r.GetLabelSelector(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return &googlev1.Profile{StringTable: []string{""}}, err
	}
	p, _, err := s.Profile(ctx, sel)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if err := pprof.WriteUncompressed(&data, p); err != nil {
		return nil, err
	}
	out := &googlev1.Profile{}
	if err := proto.Unmarshal(data.Bytes(), out); err != nil {
		return nil, fmt.Errorf("our own pprof file: %w", err)
	}
	return out, nil
}
