package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
)

// pick gives the function that a caller means by a name. Where several have it, that is the
// one with most samples, itself and what it calls; the others come after it.
func pick(p *profile.Profile, name string) (one, others []profile.FunctionID, err error) {
	found, err := lookup.Functions(p, name, true)
	if err != nil {
		// What follows is about the command line.
		text, _, _ := strings.Cut(err.Error(), "; whyhot top")
		return nil, nil, errors.New(text)
	}
	// They come by falling weight.
	for _, id := range found {
		if isSame(p, id, found[0]) {
			one = append(one, id)
		} else {
			others = append(others, id)
		}
	}
	// An exact name wins over names that end in it, though these may be meant.
	ending := regexp.MustCompile(`(^|[./:# ])` + regexp.QuoteMeta(name) + `(\(|<|$)`)
	for _, id := range view.Find(p, ending.MatchString) {
		if !contains(p, found, id) {
			others = append(others, id)
		}
	}
	return one, others, nil
}

// isSame says whether two functions of a profile are copies of one in the source.
func isSame(p *profile.Profile, a, b profile.FunctionID) bool {
	return view.Name(p, a) == view.Name(p, b) && p.Function(a).File == p.Function(b).File
}

func contains(p *profile.Profile, ids []profile.FunctionID, id profile.FunctionID) bool {
	for _, other := range ids {
		if isSame(p, id, other) {
			return true
		}
	}
	return false
}

// alsoMeant says which other functions a name can mean.
func (s *Server) alsoMeant(p *profile.Profile, others []profile.FunctionID) []string {
	const most = 4
	var names []string
	for i, id := range others {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(others)-most))
			break
		}
		share := float64(view.Lines(p, []profile.FunctionID{id}).Total) / float64(max(1, p.Total()))
		text := fmt.Sprintf("%s %.1f%%", clip(view.Name(p, id), 100), 100*share)
		if file := p.Function(id).File; file != "" {
			text += " (" + s.shown(file) + ")"
		}
		names = append(names, text)
	}
	if names == nil {
		return nil
	}
	return []string{"the name can also mean " + strings.Join(names, ", ")}
}

// hottestFunction is the program's own function that pays most on one line, or where there
// is none, the one in which most samples are.
func hottestFunction(p *profile.Profile) (profile.FunctionID, bool) {
	if all, _ := payers(p, ownline.Of(p)); len(all) > 0 {
		return all[0].line.Function, true
	}
	if top := view.Top(p, view.TopOptions{}); len(top.Rows) > 0 {
		return top.Rows[0].Function, true
	}
	return 0, false
}
