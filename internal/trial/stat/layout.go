package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// FewestLayouts is how many layouts of each side are needed to tell their spread.
const FewestLayouts = 2

// AcrossLayouts is the ratio of two sides of which each was laid out in memory in
// several ways: one list of values per layout. A layout is what is drawn at
// random here, its runs only say how fast it is. So the interval is that of the
// difference between the means of the logarithms of the layouts' medians, with
// unequal variances (B. L. Welch, 1947). ok is false with fewer than two layouts
// on a side.
func AcrossLayouts(base, variant [][]float64, level float64) (i Interval, ok bool) {
	return GeometricMeans(medians(base), medians(variant), level)
}

// GeometricMeans is the ratio of the geometric means of two independent lists, with the
// interval of B. L. Welch (1947) for the difference of their logarithms. ok is false with
// fewer than two values on a side.
func GeometricMeans(base, variant []float64, level float64) (i Interval, ok bool) {
	if len(base) < FewestLayouts || len(variant) < FewestLayouts {
		return Interval{}, false
	}
	meanB, varB := stat.MeanVariance(logs(base), nil)
	meanV, varV := stat.MeanVariance(logs(variant), nil)
	nB, nV := float64(len(base)), float64(len(variant))
	eB, eV := varB/nB, varV/nV
	d := meanB - meanV
	i = Interval{Estimate: math.Exp(d), Low: math.Exp(d), High: math.Exp(d)}
	if eB+eV == 0 {
		return i, true
	}
	freedom := (eB + eV) * (eB + eV) / (eB*eB/(nB-1) + eV*eV/(nV-1))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1-(1-level)/2) * math.Sqrt(eB+eV)
	i.Low, i.High = math.Exp(d-half), math.Exp(d+half)
	return i, true
}

func medians(layouts [][]float64) []float64 {
	var out []float64
	for _, values := range layouts {
		if len(values) > 0 {
			out = append(out, Median(values))
		}
	}
	return out
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}
