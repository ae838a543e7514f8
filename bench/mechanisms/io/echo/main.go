// Answers requests over a connection, one at a time: each message is waited for. No waste.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
)

func serve(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(c, "got %s", line); err != nil {
			return
		}
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { c, _ := l.Accept(); serve(c) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	in := bufio.NewReader(c)
	for i := range n {
		fmt.Fprintf(c, "message %d\n", i)
		if _, err := in.ReadString('\n'); err != nil {
			panic(err)
		}
	}
}
