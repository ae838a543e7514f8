package main

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/fetch"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
)

// completionTime bounds what a Tab waits for.
const completionTime = 3 * time.Second

// complete has the shell offer the keys and values of labels: those of the server behind --from,
// else of the FILE that was typed before. Of what cannot be asked nothing is offered.
func (f *loadFlags) complete(cmd *cobra.Command) {
	for _, key := range []string{keyService, keyVersion, keyHost, keyContainer} {
		offer(cmd, key, func(ctx context.Context, args []string, typed string) []string {
			return beginning(f.values(ctx, args, key), typed)
		})
	}
	offer(cmd, "where", func(ctx context.Context, args []string, typed string) []string {
		at, ok := where.End(typed)
		if !ok {
			return []string{typed + "and ", typed + "or "}
		}
		list := f.keys(ctx, args)
		if at.Key != "" {
			list = f.values(ctx, args, at.Key)
		}
		list = beginning(list, at.Typed)
		for i := range list {
			list[i] = at.With(list[i])
		}
		return list
	})
}

// completeBy has --by offer groupings and the keys of labels.
func (f *loadFlags) completeBy(cmd *cobra.Command, groupings ...string) {
	offer(cmd, "by", func(ctx context.Context, args []string, typed string) []string {
		all := slices.Concat(groupings, f.keys(ctx, args))
		slices.Sort(all)
		return beginning(slices.Compact(all), typed)
	})
}

func offer(cmd *cobra.Command, flag string, list func(ctx context.Context, args []string, typed string) []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx, done := context.WithTimeout(cmp.Or(cmd.Context(), context.Background()), completionTime)
		defer done()
		return list(ctx, args, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

func beginning(list []string, typed string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, typed) })
}

// keys are what samples can be chosen and grouped by.
func (f *loadFlags) keys(ctx context.Context, args []string) (list []string) {
	if f.remote.on() {
		if c, err := f.remote.client(); err == nil {
			list, _ = c.LabelKeys(ctx)
		}
		return list
	}
	if p := typedFile(ctx, args); p != nil {
		return labelKeys(p)
	}
	return nil
}

// values are those of a label.
func (f *loadFlags) values(ctx context.Context, args []string, key string) (list []string) {
	if f.remote.on() {
		c, err := f.remote.client()
		chosen := url.Values{}
		if err == nil {
			chosen, err = f.remote.selection()
		}
		if err == nil {
			chosen.Del(key)
			list, _ = c.Labels(ctx, key, chosen)
		}
		return list
	}
	p := typedFile(ctx, args)
	if p == nil {
		return nil
	}
	for i := range p.NumLabelSets() {
		if v := label.In(p, profile.LabelSetID(i), key); v != "" {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// typedFile is the profile that was typed, nil where none was.
func typedFile(ctx context.Context, args []string) *profile.Profile {
	if len(args) == 0 || args[0] == "-" {
		return nil
	}
	p, err := fetch.Profile(ctx, args[0], fetch.Options{NoSymbols: true})
	if err != nil {
		return nil
	}
	return p.Profile
}
