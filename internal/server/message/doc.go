// Package message tells people what is new among the findings of a project, and which alerts
// fire: by webhook, to Slack and what is compatible with it, and by e-mail.
//
// It owns the file that says who is told what, what was told already, the outbox, and
// delivery. It takes the records of internal/server/watch after each look and gives
// messages to other machines. It must never judge a finding or an alert, and never hold up a look.
//
// A look plans: what is new or clearly worse for a receiver is written into the outbox,
// a kind of document of the project's store, and with it what was told of it. Each
// receiver has a worker of its own that empties its outbox, so that one that hangs
// keeps neither the rules nor other receivers waiting. What is in the outbox survives a
// restart. A message leaves it when its receiver took it; a crash between the two sends
// it again, with the same ID.
package message

import "time"

// Why a finding is told.
const (
	WhyNew   = "new"
	WhyWorse = "worse"
	WhyBack  = "back"  // after it was gone for a week
	WhyKnown = "known" // it stood already when the receiver was made
	// Of an alert.
	WhyFiring = "firing"
	WhyEnded  = "ended"
)

// Kinds of messages.
const (
	KindFinding = "finding"
	KindSummary = "summary" // many at once
	KindDigest  = "digest"  // once a day
	KindTest    = "test"
	KindAlert   = "alert"
)

// version of the JSON form.
const version = 1

// Message is what a receiver gets; this is the body of a webhook.
type Message struct {
	Version int       `json:"version"`
	ID      string    `json:"id"` // the same when it is sent again
	Kind    string    `json:"kind"`
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"`
	Link    string    `json:"link"` // to the page
	Items   []Item    `json:"findings"`
}

// Item is one finding of a message.
type Item struct {
	Why       string   `json:"why"`
	Service   string   `json:"service"`
	Finding   string   `json:"finding"` // its ID
	Rule      string   `json:"rule"`
	Title     string   `json:"title"`
	Certainty string   `json:"certainty,omitempty"` // of a finding
	Limit     string   `json:"limit,omitempty"`     // of an alert
	Now       Cost     `json:"now"`
	Before    *Cost    `json:"before,omitempty"` // of what is worse: as it was told last
	Money     *Money   `json:"per_year,omitempty"`
	Gain      *Gain    `json:"gain,omitempty"`
	Link      string   `json:"link"`
	Command   string   `json:"command,omitempty"` // shows all that is known of it
	Links     []string `json:"reading,omitempty"`
}

// Cost is what a finding costs at one time.
type Cost struct {
	Time  time.Time `json:"time"`
	Share float64   `json:"share"` // of the service's CPU
	Error float64   `json:"error"` // half of its 95 % interval
	Cores float64   `json:"cores"` // that it kept busy
}

// Money is what the cores cost by the file's prices.
type Money struct {
	Currency string  `json:"currency,omitempty"`
	Money    float64 `json:"money,omitempty"`
	CO2      float64 `json:"co2_kg,omitempty"`
}

// Gain is what a fix may give back, as fractions of the service's CPU.
type Gain struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
