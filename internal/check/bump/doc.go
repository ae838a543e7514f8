// Package bump reads which dependencies a change raises, and how hot they are.
//
// It owns the forms of lock files and manifests (go.mod, Cargo.lock, poetry.lock, uv.lock,
// package-lock.json, requirements.txt, gradle.lockfile, pom.xml) as far as names and
// versions go, and how a package shows in a profile. It takes the two texts of a file and
// gives packages. It must never run anything.
package bump
