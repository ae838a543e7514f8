package exponent

import "math"

// leastNoise is what runs differ by at least: a machine is never wholly quiet, and few
// runs may agree by chance.
const leastNoise = 0.01

// Spread tells the noise from the whole counts of the runs, by size: by how much they
// scatter more than counts do.
func Spread(runs [][]float64) Noise {
	var squares, freedom float64
	for _, counts := range runs {
		if len(counts) < 2 {
			continue
		}
		mean := 0.0
		for _, c := range counts {
			mean += c / float64(len(counts))
		}
		if mean == 0 {
			continue
		}
		sum := 0.0
		for _, c := range counts {
			sum += (c - mean) * (c - mean)
		}
		k := float64(len(counts) - 1)
		squares += k * (sum/k - mean) / (mean * mean)
		freedom += k
	}
	if freedom == 0 {
		return Noise{Share: leastNoise}
	}
	return Noise{Share: math.Sqrt(max(leastNoise*leastNoise, squares/freedom)), Freedom: freedom}
}
