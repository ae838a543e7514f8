mkdir -p cmd/app
printf 'module example\n\ngo 1.24\n' > go.mod
printf 'package main\n\nimport "fmt"\n\nfunc main() {\n\ttotal := 0\n\tfor i := range 200000000 {\n\t\ttotal += i ^ total>>3\n\t}\n\tfmt.Println(total)\n}\n' > cmd/app/main.go
go build ./cmd/app
touch input
