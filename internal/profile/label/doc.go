// Package label is what tells samples apart beside their stack: service, version, host,
// container and process, pods, threads, environments, tags of a program's own.
//
// It owns the names of keys, the Set (labels as one text), and how the labels of a profile
// are looked up by these names. It takes keys and values as senders write them. It must
// never know what is kept of them, or a query.
package label
