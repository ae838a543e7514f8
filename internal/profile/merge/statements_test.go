package merge

import (
	"reflect"
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

func TestStatementsAddUp(t *testing.T) {
	run := func(s ...profile.Statement) *profile.Profile {
		return profile.NewBuilder().Build(profile.Meta{Statements: s})
	}
	got := All([]*profile.Profile{
		run(profile.Statement{System: "sqlite", Text: "a", Runs: 1, Steps: 2, Watched: 1, Facts: sqlshape.Facts{List: 3}}),
		run(profile.Statement{System: "sqlite", Text: "a", Runs: 2, Prepared: 1, Watched: 0.5, Facts: sqlshape.Facts{Deep: true}}, profile.Statement{System: "sqlite", Text: "a", Client: true, Runs: 7}),
	}).Meta.Statements
	want := []profile.Statement{
		{System: "sqlite", Text: "a", Runs: 3, Steps: 2, Prepared: 1, Watched: 0.5, Facts: sqlshape.Facts{List: 3, Deep: true}},
		{System: "sqlite", Text: "a", Client: true, Runs: 7},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
