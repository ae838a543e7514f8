// Package mcp is the door for coding agents: whyhot's answers as tools of the Model
// Context Protocol.
//
// It owns the six tools in their order, handles for profiles and trials, the bound on
// the size of an answer, and the form of a refusal. It takes what fetch, session,
// explain, machine and referee give, and what allow allows; it gives answers as typed
// data. It must never run what came in from a profile, and never answer with more than
// Limit bytes.
package mcp
