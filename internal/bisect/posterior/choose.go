package posterior

import "math"

// Price is what a measurement costs, in seconds.
type Price struct {
	Round float64                  // one round: the reference and the commit
	Build func(int) float64        // of a commit; 0 where it is built
	Works func(commit int) float64 // the chance that it can be built and run; 0 leaves it out
}

// Choice is a measurement.
type Choice struct {
	Commit, Rounds int
	Bits           float64 // of information that are expected of it
}

// batches are how many rounds a measurement may have.
var batches = []int{2, 4, 8, 16, 32}

// Next is the measurement that is expected to tell most for its price. ok is false where
// none tells anything.
func (b *Belief) Next(p Price) (best Choice, ok bool) {
	rounds := map[int]commit{}
	for _, c := range b.known {
		rounds[c.at] = c
	}
	most := 0.0
	below := 0.0
	for i := 1; i < len(b.P); i++ {
		below += b.P[i] // the chance that the change is in commit i or before it
		works := p.Works(i)
		if works <= 0 {
			continue
		}
		gap, variance := b.Delta, b.Tau*b.Tau
		if c, measured := rounds[i]; measured {
			// What it has shown so far is known: its own effect is part of that.
			keep := variance / (variance + c.variance(b.Sigma))
			gap, variance = gap*(1-keep), variance*(1-keep)
		}
		whole := entropy(below)
		for _, m := range batches {
			price := p.Build(i) + float64(m)*p.Round
			if works*whole/price <= most {
				break // not even all there is to know would be worth it
			}
			sd := math.Sqrt(variance + b.Sigma*b.Sigma/float64(m))
			bits := information(below, gap/sd)
			if value := works * bits / price; value > most {
				most, ok = value, true
				best = Choice{Commit: i, Rounds: m, Bits: bits}
			}
		}
	}
	return best, ok
}

// information is how many bits a normal measurement tells about which of two sides holds,
// where one has probability p and their means are z deviations apart.
func information(p, z float64) float64 {
	const least = 1e-9
	if p <= least || p >= 1-least || z <= 0 {
		return 0
	}
	// The entropy of the side, less what is left of it over all results.
	const steps, reach = 48, 5.0
	left := 0.0
	width := (z + 2*reach) / steps
	for s := range steps {
		x := -reach + (float64(s)+0.5)*width  //nolint:mnd // the middle of a step
		lower := (1 - p) * math.Exp(-x*x/2)   //nolint:mnd // a normal density
		upper := p * math.Exp(-(x-z)*(x-z)/2) //nolint:mnd // a normal density
		if sum := lower + upper; sum > 0 {
			left += sum * entropy(upper/sum)
		}
	}
	return max(0, entropy(p)-left*width/math.Sqrt(2*math.Pi)) //nolint:mnd // of the density
}

func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}
