package main

import (
	"fmt"
	"os"
	"time"
)

func local(at time.Time, kept *time.Location) string {
	zone := kept
	if zone == nil {
		zone, _ = time.LoadLocation("Europe/Berlin")
	}
	return at.In(zone).Format(time.RFC1123)
}

func main() {
	var kept *time.Location
	if os.Args[1] == "mend" {
		kept, _ = time.LoadLocation("Europe/Berlin")
	}
	sum := 0
	for n := range map[bool]int{true: 100_000, false: 6_000_000}[kept == nil] {
		sum += len(local(time.Unix(int64(n)*3600, 0), kept))
	}
	fmt.Println(sum)
}
