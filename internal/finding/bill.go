package finding

// Bill is what a share of the CPU costs where somebody gave prices. What is not known
// is left out.
type Bill struct {
	Cores    float64 `json:"cores"` // that it keeps busy
	Currency string  `json:"currency,omitempty"`
	Money    float64 `json:"money_per_year,omitempty"`
	CO2      float64 `json:"co2_kg_per_year,omitempty"`
}
