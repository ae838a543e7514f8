// Package api serves the HTTP API of a server, under /api/v1, and the push paths that
// agents of others use.
//
// It owns the routes, how a request is judged before anything of it is read, and the
// form of answers. It takes projects, tokens and limits, and gives an http.Handler. It
// must never work an answer out: that is internal/store's, and for whole profiles
// internal/profile/view's.
//
// The order in which a request is judged:
//
//	host, origin      403   no page of another site speaks to a loopback listener
//	token, scope      401, 403
//	rate of the token 429   with when to come again
//	parameters        400
//	size of the body  413
//	slot, time        503, 504
//
// An error is {"error", "detail", "help"}: what kind it is, what was wrong, what to do.
// What went wrong on this side is in the server's log alone, under a number that the
// answer names: no path of this machine is in an answer.
//
// docs/api/openapi.yaml describes every route; tests hold the two against each other.
package api
