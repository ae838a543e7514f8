// Command goroutines measures what it takes a Go program that its waits are recorded, and how much
// of them is seen. Six goroutines sleep for a millisecond at a time; the program runs without a
// recording, with one that has no waits, and with one that has, interleaved.
//
//	go run ./bench/collect/goroutines bin/whyhot 5
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

const (
	goroutines = 6
	runs       = 6 * time.Second
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		wait()
		return
	}
	if err := measure(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// wait is the program that is measured: it prints how often it waited, and the CPU time that each
// took, in microseconds.
func wait() {
	var all sync.WaitGroup
	times := make([]int, goroutines)
	end := time.Now().Add(runs)
	for i := range times {
		all.Go(func() {
			for time.Now().Before(end) {
				time.Sleep(time.Millisecond)
				times[i]++
			}
		})
	}
	all.Wait()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	sum := 0
	for _, n := range times {
		sum += n
	}
	fmt.Printf("%d %.2f\n", sum, float64(used.Utime.Nano()+used.Stime.Nano())/1000/float64(sum))
}

func measure(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	rounds := 5
	if len(args) > 1 {
		if rounds, err = strconv.Atoi(args[1]); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "goroutines")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "x.pb.gz")
	ways := [][]string{{self}, {args[0], "record", "--no-off-cpu", "-o", file, "--", self}, {args[0], "record", "-o", file, "--", self}}
	names := []string{"not recorded", "without waits", "with waits"}
	each, seen := make([][]float64, len(ways)), []float64{}
	for range rounds {
		for i, way := range ways {
			out, err := exec.Command(way[0], way[1:]...).Output()
			if err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			fields := strings.Fields(string(out))
			cost, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			if err != nil {
				return err
			}
			each[i] = append(each[i], cost)
		}
		share, err := seenIn(file)
		if err != nil {
			return err
		}
		seen = append(seen, share)
	}
	for i, name := range names {
		slices.Sort(each[i])
		fmt.Printf("%-14s %.1f µs of CPU a wait (%.1f–%.1f)\n", name, each[i][rounds/2], each[i][0], each[i][rounds-1])
	}
	slices.Sort(seen)
	fmt.Printf("seen of all that was waited: %.1f%% (%.1f–%.1f)\n", 100*seen[rounds/2], 100*seen[0], 100*seen[rounds-1])
	return nil
}

// seenIn is the part of the time that goroutines have waited that a recording has.
func seenIn(file string) (float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "off_cpu" })
	if at < 0 {
		return 0, fmt.Errorf("%s has no waits", file)
	}
	sleeps := func(s *profile.Sample) bool {
		return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(line profile.Line) bool { return line.Function.Name == "time.Sleep" })
		})
	}
	sum := int64(0)
	for _, s := range p.Sample {
		if len(s.NumLabel["goroutines"]) > 0 && sleeps(s) {
			sum += s.Value[at]
		}
	}
	return float64(sum) / float64(goroutines*runs), nil
}
