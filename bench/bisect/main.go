// Command bisect measures how often whyhot bisect is right, and what it takes, on seeded
// histories of a small C program, beside git bisect run with a fixed threshold.
//
//	go run ./bench/bisect -whyhot bin/whyhot -histories 20
//
// Each history has 16 to 64 commits. One makes the program 3 to 20% slower. The others
// change comments, texts, constants that are printed, names, or add functions, which
// moves code; some break the build.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	whyhot := flag.String("whyhot", "bin/whyhot", "the program")
	histories := flag.Int("histories", 20, "how many")
	first := flag.Uint64("first", 1, "seed of the first")
	flag.Parse()
	path, err := filepath.Abs(*whyhot)
	if err != nil {
		log.Fatal(err)
	}
	if err := measure(context.Background(), path, *first, *histories); err != nil {
		log.Fatal(err)
	}
}

// answer is what one way of bisecting came to.
type answer struct {
	right, wrong bool // neither: it says that it does not know
	builds, runs int
	seconds      float64
	function     bool    // the right function is named
	probability  float64 // that it promises
}

func measure(ctx context.Context, whyhot string, first uint64, n int) error {
	var ours, theirs []answer
	fmt.Println("| seed | commits | slow-down | whyhot | p | builds | runs | s | git bisect run | builds | runs | s |\n|-|-|-|-|-|-|-|-|-|-|-|-|")
	for seed := first; seed < first+uint64(n); seed++ {
		dir, err := os.MkdirTemp("", "whyhot-bench-bisect-")
		if err != nil {
			return err
		}
		h, err := generate(ctx, dir, seed)
		if err != nil {
			return err
		}
		a, err := h.whyhot(ctx, whyhot)
		if err != nil {
			return err
		}
		b, err := h.git(ctx)
		if err != nil {
			return err
		}
		ours, theirs = append(ours, a), append(theirs, b)
		fmt.Printf("| %d | %d | %.1f%% | %s | %.3f | %d | %d | %.0f | %s | %d | %d | %.0f |\n", seed, h.commits, h.slower*100,
			a, a.probability, a.builds, a.runs, a.seconds, b, b.builds, b.runs, b.seconds)
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for name, all := range map[string][]answer{"whyhot bisect": ours, "git bisect run": theirs} {
		sum, functions := answer{}, 0
		right, wrong := 0, 0
		for _, a := range all {
			if a.right {
				right++
			}
			if a.wrong {
				wrong++
			}
			if a.function {
				functions++
			}
			sum.builds, sum.runs, sum.seconds = sum.builds+a.builds, sum.runs+a.runs, sum.seconds+a.seconds
		}
		k := float64(len(all))
		fmt.Printf("%s: %d of %d right, %d wrong; function named in %d; mean %.1f builds, %.0f runs, %.0f s\n", name, right, len(all), wrong, functions,
			float64(sum.builds)/k, float64(sum.runs)/k, sum.seconds/k)
	}
	return nil
}

func (a answer) String() string {
	switch {
	case a.right:
		return "right"
	case a.wrong:
		return "wrong"
	}
	return "undecided"
}

// whyhot bisects with whyhot.
func (h *history) whyhot(ctx context.Context, path string) (answer, error) {
	cmd := exec.CommandContext(ctx, path, "bisect", h.good+".."+h.bad, "--build", "make", "--limit", "2%", "--budget", "8m", "--json", "--", "./prog")
	cmd.Dir = h.dir
	cmd.Stderr = os.Stderr
	begun := time.Now()
	out, err := cmd.Output()
	a := answer{seconds: time.Since(begun).Seconds()}
	exit, coded := errors.AsType[*exec.ExitError](err)
	if err != nil && (!coded || len(out) == 0) {
		return a, fmt.Errorf("whyhot bisect: %w", err)
	}
	var r struct {
		Commit []struct {
			Commit string `json:"commit"`
		} `json:"commit"`
		Probability  float64 `json:"probability"`
		Builds, Runs int
		Functions    []struct{ Function string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return a, err
	}
	a.builds, a.runs, a.probability = r.Builds, r.Runs, r.Probability
	if !coded || exit.ExitCode() == 0 {
		// Commits before it that cannot be built are part of the answer.
		a.right = slices.ContainsFunc(r.Commit, func(c struct {
			Commit string `json:"commit"`
		},
		) bool {
			return c.Commit == h.culprit
		})
		a.wrong = !a.right
		a.function = len(r.Functions) > 0 && r.Functions[0].Function == h.function
	}
	return a, nil
}

// git bisects with git: a commit is bad where the median of three runs takes longer than
// the middle between the two ends, of which five runs each were measured first.
func (h *history) git(ctx context.Context) (answer, error) {
	begun := time.Now()
	a := answer{}
	ends := []float64{}
	for _, end := range []string{h.good, h.bad} {
		if err := h.call(ctx, "git", "checkout", "-q", end); err != nil {
			return a, err
		}
		t, err := h.timed(ctx, &a, 5)
		if err != nil {
			return a, err
		}
		ends = append(ends, t)
	}
	limit := (ends[0] + ends[1]) / 2
	if ends[1] <= ends[0] {
		a.seconds = time.Since(begun).Seconds()
		return a, nil // the ends do not tell a threshold
	}
	// git bisect run calls a program; this process answers for it, one step at a time.
	if err := h.call(ctx, "git", "bisect", "start", h.bad, h.good); err != nil {
		return a, err
	}
	for {
		t, err := h.timed(ctx, &a, 3)
		word := "good"
		switch {
		case err != nil:
			word = "skip"
		case t > limit:
			word = "bad"
		}
		out, err := h.output(ctx, "git", "bisect", word)
		if i := strings.Index(out, " is the first bad commit"); i >= 0 {
			a.right = strings.HasSuffix(out[:i], h.culprit)
			a.wrong = !a.right
			break
		}
		if strings.Contains(out, "only 'skip'ped commits left") {
			a.right = strings.Contains(out, h.culprit)
			a.wrong = !a.right
			break
		}
		if err != nil {
			return a, fmt.Errorf("git bisect %s: %w: %s", word, err, out)
		}
	}
	a.seconds = time.Since(begun).Seconds()
	return a, h.call(ctx, "git", "bisect", "reset")
}

// timed builds what is checked out and gives the median CPU time of some runs.
func (h *history) timed(ctx context.Context, a *answer, runs int) (float64, error) {
	a.builds++
	_ = h.call(ctx, "make", "clean")
	if err := h.call(ctx, "make"); err != nil {
		return math.NaN(), err
	}
	var all []float64
	for range runs {
		a.runs++
		cmd := exec.CommandContext(ctx, "./prog")
		cmd.Dir = h.dir
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		u := cmd.ProcessState.SysUsage().(*syscall.Rusage) //nolint:forcetypeassert // on Linux
		all = append(all, time.Duration(u.Utime.Nano()+u.Stime.Nano()).Seconds())
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

func (h *history) call(ctx context.Context, words ...string) error {
	out, err := h.output(ctx, words...)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
	}
	return nil
}

func (h *history) output(ctx context.Context, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE="+strconv.Itoa(1700000000+h.commits)+" +0000", "GIT_COMMITTER_DATE="+strconv.Itoa(1700000000+h.commits)+" +0000")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
