# One profile is of the C program, and one of a program in Go.
#: try build => try build --runs 3
#: go-pgo cpu.pb.gz => go-pgo go.pb.gz
program bench 4
cp "$shared/app.pb.gz" cpu.pb.gz
mkdir app
printf 'module example\n\ngo 1.24\n' > app/go.mod
printf 'package main\n\nimport "fmt"\n\nfunc main() {\n\ttotal := 0\n\tfor i := range 500000000 {\n\t\ttotal += i ^ total>>3\n\t}\n\tfmt.Println(total)\n}\n' > app/main.go
(cd app && go build -o ../go-app .)
recorded go.pb.gz ./go-app
