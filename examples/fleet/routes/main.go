// Command routes finds the shortest ways through a made-up net of streets, over and over.
package main

func main() {
	const places = 160
	net := make([][]int, places)
	for {
		for from := range net {
			net[from] = make([]int, places)
			for to := range net[from] {
				net[from][to] = 1 + (from*31+to*17)%97
			}
		}
		shorten(net)
	}
}

// shorten is the algorithm of Floyd and Warshall.
func shorten(net [][]int) {
	for over := range net {
		for from := range net {
			for to := range net {
				net[from][to] = min(net[from][to], net[from][over]+net[over][to])
			}
		}
	}
}
