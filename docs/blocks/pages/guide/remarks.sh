# A module of Go, its profile, and the report that the compiler writes.
#: REPORT... => report
#: REPORT => report
mkdir app && cd app
printf 'module example\n\ngo 1.24\n' > go.mod
cat > main.go <<'GO'
package main

import "fmt"

type point struct{ x, y int }

//go:noinline
func sum(points []*point) (s int) {
	for _, p := range points {
		s += p.x * p.y
	}
	return s
}

func main() {
	total := 0
	for round := range 60 {
		var points []*point
		for i := range 50000 {
			points = append(points, &point{i, round})
		}
		total += sum(points)
	}
	fmt.Println(total)
}
GO
go build -o app . && recorded cpu.pb.gz ./app
go build -gcflags='-json=0,'"$PWD/report" .
