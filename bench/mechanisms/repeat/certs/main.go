package main

import (
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"os"
)

func pool() *x509.CertPool {
	text, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		panic(err)
	}
	p := x509.NewCertPool()
	p.AppendCertsFromPEM(text)
	return p
}

func call(n int, kept *x509.CertPool) int {
	roots := kept
	if roots == nil {
		roots = pool()
	}
	sum := sha256.Sum256([]byte{byte(n)})
	for range 3000 {
		sum = sha256.Sum256(sum[:])
	}
	//lint:ignore SA1019 a count of what was parsed, and the system's roots are none of it
	return len(roots.Subjects()) + int(sum[0])
}

func main() {
	var kept *x509.CertPool
	if os.Args[1] == "mend" {
		kept = pool()
	}
	sum := 0
	for n := range 600 {
		sum += call(n, kept)
	}
	fmt.Println(sum)
}
