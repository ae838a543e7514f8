package api

import (
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/server/access"
	"whyhot/internal/store"
)

// The forms of answers, as docs/api/openapi.yaml has them.

type basisForm struct {
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	Covered    float64   `json:"covered_seconds"`
	Count      int64     `json:"count"`
	Value      int64     `json:"value"`
	Unit       string    `json:"unit"`
	Level      int       `json:"level"`
	Read       int64     `json:"read"`
	ShareError float64   `json:"share_error"`
	Cut        int64     `json:"cut,omitempty"`
	Merged     int64     `json:"merged,omitempty"`
}

func formOf(b store.Basis) basisForm {
	return basisForm{b.From.UTC(), b.To.UTC(), b.Covered.Seconds(), b.Count, b.Value, b.Unit, b.Level, b.Read, b.ShareError, b.Cut, b.Merged}
}

// errorOf is half of the 95 % interval of a weight's share. The events that were read
// are the sample: what a level of the ladder leaves out, and what the profiler did not
// see, is one drawing.
func errorOf(b store.Basis, weight int64) float64 {
	if b.Value <= 0 || b.Read <= 0 {
		return 0
	}
	return finding.ShareError(float64(weight)/float64(b.Value), b.Read)
}

type functionForm struct {
	ID      store.FunctionID `json:"id"`
	Name    string           `json:"name"`
	System  string           `json:"system,omitempty"`
	File    string           `json:"file,omitempty"`
	Line    int32            `json:"line,omitempty"`
	Binary  string           `json:"binary,omitempty"`
	BuildID string           `json:"build_id,omitempty"`
	Kind    string           `json:"kind"`
	Origin  string           `json:"origin"`
}

func functionOf(f store.Function) functionForm {
	return functionForm{f.ID, f.Name, f.System, f.File, f.StartLine, f.Binary, f.BuildID, f.Kind.String(), originOf(&f).String()}
}

type labelForm struct {
	Value  string    `json:"value"`
	Count  int64     `json:"count"`
	Weight int64     `json:"weight"`
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
}

type labelKeysForm struct {
	Keys []labelKeyForm `json:"keys"`
}

type labelKeyForm struct {
	Key    string `json:"key"`
	Values int    `json:"values"`
}

type labelsForm struct {
	Dimension store.Dimension `json:"dimension"`
	Values    []labelForm     `json:"values"`
}

type timelineForm struct {
	Basis       basisForm       `json:"basis"`
	By          store.Dimension `json:"by,omitempty"`
	Start       time.Time       `json:"start"`
	StepSeconds float64         `json:"step_seconds"`
	Steps       int             `json:"steps"`
	Lines       []lineForm      `json:"lines"`
	Others      int             `json:"others"`
}

type lineForm struct {
	Value  string  `json:"value"`
	Weight []int64 `json:"weight"`
}

type topRow struct {
	Function functionForm `json:"function"`
	Family   string       `json:"family"`
	Self     int64        `json:"self"`
	Total    int64        `json:"total"`
	Error    float64      `json:"error"`
}

type topForm struct {
	Basis        basisForm `json:"basis"`
	Sort         string    `json:"sort"`
	Functions    int       `json:"functions"`
	Matched      int       `json:"matched"`
	MatchedSelf  int64     `json:"matched_self"`
	MatchedTotal int64     `json:"matched_total"`
	// What Match keeps, by class, before Origin and Family choose.
	Origins  []classForm `json:"origins"`
	Families []classForm `json:"families"`
	Rows     []topRow    `json:"rows"`
}

// classForm is what the functions of a class took themselves.
type classForm struct {
	Name string `json:"name"`
	Self int64  `json:"self"`
}

type historyForm struct {
	Basis       basisForm     `json:"basis"`
	Start       time.Time     `json:"start"`
	StepSeconds float64       `json:"step_seconds"`
	Functions   []historyLine `json:"functions"`
}

type historyLine struct {
	ID     store.FunctionID `json:"id"`
	Weight []int64          `json:"weight"`
}

// treeForm is a tree by column. Functions[Function[i]] is that of node i.
type treeForm struct {
	Basis     basisForm      `json:"basis"`
	Root      string         `json:"root"`
	Function  []int          `json:"function"`
	Parent    []int32        `json:"parent"`
	Self      []int64        `json:"self"`
	Total     []int64        `json:"total"`
	Hidden    []int32        `json:"hidden"`
	Functions []functionForm `json:"functions"`
}

type edgeForm struct {
	Function functionForm `json:"function"`
	Total    int64        `json:"total"`
}

type callgraphForm struct {
	Basis     basisForm    `json:"basis"`
	Function  functionForm `json:"function"`
	Self      int64        `json:"self"`
	Total     int64        `json:"total"`
	Recursive int64        `json:"recursive"`
	Entry     int64        `json:"entry"`
	Error     float64      `json:"error"`
	Callers   []edgeForm   `json:"callers"`
	Callees   []edgeForm   `json:"callees"`
}

type functionsForm struct {
	Functions []functionForm `json:"functions"`
	More      int            `json:"more"`
}

type sourceLine struct {
	File   string  `json:"file,omitempty"`
	Line   int32   `json:"line,omitempty"`
	Binary string  `json:"binary,omitempty"`
	Offset uint64  `json:"offset,omitempty"`
	Self   int64   `json:"self"`
	Total  int64   `json:"total"`
	Error  float64 `json:"error"`
}

type linesForm struct {
	Basis    basisForm    `json:"basis"`
	Function functionForm `json:"function"`
	Self     int64        `json:"self"`
	Total    int64        `json:"total"`
	Lines    []sourceLine `json:"lines"`
}

type sideForm struct {
	Self  int64   `json:"self"`
	Total int64   `json:"total"`
	Share float64 `json:"share"`
	Error float64 `json:"error"`
}

type diffRow struct {
	Name        string    `json:"name"`
	Binary      string    `json:"binary,omitempty"`
	File        string    `json:"file,omitempty"`
	Before      *sideForm `json:"before"`
	After       *sideForm `json:"after"`
	Delta       float64   `json:"delta"`
	Error       float64   `json:"error"`
	P           float64   `json:"p"`
	Significant bool      `json:"significant"`
}

type diffForm struct {
	Before             basisForm `json:"before"`
	After              basisForm `json:"after"`
	Sort               string    `json:"sort"`
	FalseDiscoveryRate float64   `json:"false_discovery_rate"`
	Functions          int       `json:"functions"`
	Rows               []diffRow `json:"rows"`
}

type receiptForm struct {
	Duplicate bool     `json:"duplicate"`
	Samples   int64    `json:"samples"`
	Readable  bool     `json:"readable"`
	Warnings  []string `json:"warnings"`
}

type statsForm struct {
	Bytes     int64       `json:"bytes"`
	Memory    int64       `json:"memory"`
	Tables    []tableForm `json:"tables"`
	Missing   bool        `json:"missing,omitempty"`
	Journal   journalForm `json:"journal"`
	Mappings  int         `json:"mappings"`
	Functions int         `json:"functions"`
	Locations int         `json:"locations"`
	Nodes     int         `json:"nodes"`
	Stacks    int         `json:"stacks"`
	Series    int         `json:"series"`
	// Unresolved addresses have no name yet.
	Unresolved     int   `json:"unresolved"`
	CutStacks      int64 `json:"cut_stacks"`
	MergedSeries   int64 `json:"merged_series"`
	DroppedSamples int64 `json:"dropped_samples"`
	// Bounds say how near each is; Files what each part of the directory takes.
	Bounds []boundForm `json:"bounds"`
	Files  []fileForm  `json:"files"`
}

type boundForm struct {
	Name    string `json:"name"`
	Used    int64  `json:"used"`
	Limit   int64  `json:"limit"`
	Warning string `json:"warning,omitempty"`
}

type fileForm struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

type tableForm struct {
	Name  string    `json:"name"`
	Rows  int64     `json:"rows"`
	Bytes int64     `json:"bytes"`
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
}

type journalForm struct {
	Segments int   `json:"segments"`
	Bytes    int64 `json:"bytes"`
	Failing  bool  `json:"failing"`
}

type projectsForm struct {
	Scopes   []access.Scope `json:"scopes"`
	Default  string         `json:"default"` // of requests that name none
	Projects []projectForm  `json:"projects"`
	Revoked  int            `json:"tokens_revoked,omitempty"` // with a project that was deleted
}

type projectForm struct {
	Name string `json:"name"`
}
