package pprof

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/profile"
)

// Comments of ours carry what pprof has no field for. Each is "whyhot:KEY
// VALUE"; a reader that does not know them shows them as text.
const (
	commentPrefix  = "whyhot:"
	commentCommand = "command"   // JSON array of the arguments
	commentDir     = "directory" // where the command ran
	commentWarning = "warning"
	commentLost    = "lost"       // number of events
	commentIdle    = "idle"       // nanoseconds
	commentCover   = "coverage"   // JSON of profile.Coverage
	commentSource  = "source"     // what the profile was converted from
	commentRange   = "range"      // profile.Range: two times of RFC 3339
	commentCalls   = "calls"      // JSON array of profile.Calls
	commentFuncs   = "functions"  // JSON array of profile.FunctionCalls
	commentSQL     = "statements" // JSON array of profile.Statement
	commentJumps   = "branches"   // JSON array of profile.Branch
	commentKinds   = "kinds"      // "python=3,7-12 js=20": function IDs whose kind their names do not tell
)

// readComment takes one comment over into meta.
func readComment(meta *profile.Meta, c string) {
	rest, ours := strings.CutPrefix(c, commentPrefix)
	key, value, _ := strings.Cut(rest, " ")
	if ours {
		switch key {
		case commentCommand:
			if json.Unmarshal([]byte(value), &meta.Command) == nil {
				return
			}
		case commentDir:
			if json.Unmarshal([]byte(value), &meta.Directory) == nil {
				return
			}
		case commentWarning:
			meta.Warnings = append(meta.Warnings, value)
			return
		case commentLost:
			if n, err := strconv.ParseUint(value, 10, 64); err == nil {
				meta.Lost = n
				return
			}
		case commentIdle:
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
				meta.Idle = time.Duration(n)
				return
			}
		case commentCover:
			if json.Unmarshal([]byte(value), &meta.Coverage) == nil {
				return
			}
			meta.Coverage = profile.Coverage{}
		case commentSource:
			meta.Source, meta.Recorded = value, true
			return
		case commentRange:
			if r, ok := rangeOf(value); ok {
				meta.Range = r
				return
			}
		case commentCalls:
			if json.Unmarshal([]byte(value), &meta.Calls) == nil {
				return
			}
			meta.Calls = nil
		case commentFuncs:
			if json.Unmarshal([]byte(value), &meta.Functions) == nil {
				return
			}
			meta.Functions = nil
		case commentSQL:
			if json.Unmarshal([]byte(value), &meta.Statements) == nil {
				return
			}
			meta.Statements = nil
		case commentJumps:
			if json.Unmarshal([]byte(value), &meta.Branches) == nil {
				return
			}
			meta.Branches = nil
		case commentKinds:
			return // read by kindsOf, before the functions
		}
	}
	meta.Comments = append(meta.Comments, c)
}

// rangeOf reads two times.
func rangeOf(text string) (profile.Range, bool) {
	first, second, _ := strings.Cut(text, " ")
	from, err := time.Parse(time.RFC3339, first)
	if err != nil {
		return profile.Range{}, false
	}
	until, err := time.Parse(time.RFC3339, second)
	if err != nil || from.IsZero() || !from.Before(until) {
		return profile.Range{}, false
	}
	return profile.Range{From: from.UTC(), Until: until.UTC()}, true
}

// comments writes what readComment and kindsOf read.
func comments(meta *profile.Meta, kinds string) []string {
	var out []string
	add := func(key, value string) { out = append(out, commentPrefix+key+" "+value) }
	if meta.Source != "" && meta.Source != "pprof" {
		add(commentSource, meta.Source)
	}
	if r := meta.Range; !r.From.IsZero() {
		add(commentRange, r.From.UTC().Format(time.RFC3339)+" "+r.Until.UTC().Format(time.RFC3339))
	}
	asJSON := func(key string, value any) {
		var text strings.Builder
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // people read it
		if err := enc.Encode(value); err == nil {
			add(key, strings.TrimSpace(text.String()))
		}
	}
	if len(meta.Command) > 0 {
		asJSON(commentCommand, meta.Command)
	}
	if meta.Directory != "" {
		asJSON(commentDir, meta.Directory)
	}
	if meta.Idle > 0 {
		add(commentIdle, strconv.FormatInt(int64(meta.Idle), 10))
	}
	if meta.Lost > 0 {
		add(commentLost, strconv.FormatUint(meta.Lost, 10))
	}
	if _, known := meta.Coverage.Share(); known {
		if text, err := json.Marshal(meta.Coverage); err == nil {
			add(commentCover, string(text))
		}
	}
	if len(meta.Calls) > 0 {
		if text, err := json.Marshal(meta.Calls); err == nil {
			add(commentCalls, string(text))
		}
	}
	if len(meta.Functions) > 0 {
		if text, err := json.Marshal(meta.Functions); err == nil {
			add(commentFuncs, string(text))
		}
	}
	if len(meta.Statements) > 0 {
		if text, err := json.Marshal(meta.Statements); err == nil {
			add(commentSQL, string(text))
		}
	}
	if len(meta.Branches) > 0 {
		if text, err := json.Marshal(meta.Branches); err == nil {
			add(commentJumps, string(text))
		}
	}
	for _, w := range meta.Warnings {
		add(commentWarning, w)
	}
	if kinds != "" {
		add(commentKinds, kinds)
	}
	return append(out, meta.Comments...)
}

// kindsOf reads the comment on kinds; what it cannot read it leaves out.
func kindsOf(comments []string) map[uint64]profile.Kind {
	kinds := map[uint64]profile.Kind{}
	for _, c := range comments {
		list, ok := strings.CutPrefix(c, commentPrefix+commentKinds+" ")
		if !ok {
			continue
		}
		for group := range strings.FieldsSeq(list) {
			name, ids, _ := strings.Cut(group, "=")
			k, known := kindNamed(name)
			if !known {
				continue
			}
			for r := range strings.SplitSeq(ids, ",") {
				addRange(kinds, r, k)
			}
		}
	}
	return kinds
}

// maxIDs bounds what a comment, which anybody may have written, makes us hold.
const maxIDs = 1 << 22

// addRange gives the IDs of "3" or "3-7" the kind k.
func addRange(kinds map[uint64]profile.Kind, r string, k profile.Kind) {
	from, to, isRange := strings.Cut(r, "-")
	a, err := strconv.ParseUint(from, 10, 64)
	b := a
	if isRange && err == nil {
		b, err = strconv.ParseUint(to, 10, 64)
	}
	if err != nil || b < a || b-a > uint64(maxIDs-len(kinds)) {
		return
	}
	for id := a; id <= b; id++ {
		kinds[id] = k
	}
}

func kindNamed(name string) (profile.Kind, bool) {
	for k := profile.KindUnknown; k.String() != "unknown" || k == profile.KindUnknown; k++ {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// kindList writes function IDs, ascending, as kindsOf reads them.
func kindList(ids [][]uint64) string {
	var b strings.Builder
	for k, list := range ids {
		if len(list) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(profile.Kind(k).String() + "=")
		for i := 0; i < len(list); {
			j := i
			for j+1 < len(list) && list[j+1] == list[j]+1 {
				j++
			}
			if i > 0 {
				b.WriteByte(',')
			}
			if j > i {
				fmt.Fprintf(&b, "%d-%d", list[i], list[j])
			} else {
				fmt.Fprintf(&b, "%d", list[i])
			}
			i = j + 1
		}
	}
	return b.String()
}
