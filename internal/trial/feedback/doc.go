// Package feedback writes the samples of one binary as compilers and BOLT read them: a
// profile of production optimises the next build.
//
// It owns the three forms (Go's default.pgo, LLVM's sample profile as text, BOLT's
// samples without branch records), the choice of the binary, and the checks that its
// file is the one that was sampled. It takes a profile.Profile and the place of the
// file, and gives bytes and a Summary of what they cover. It must never record, build
// or run anything.
//
// What the readers want is in https://go.dev/doc/pgo, in LLVM's header
// llvm/ProfileData/SampleProfReader.h and in BOLT's README.
package feedback
