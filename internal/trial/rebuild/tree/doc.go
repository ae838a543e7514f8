// Package tree copies a source tree so that a build in the copy touches nothing
// of the original.
//
// It owns the choice of what is copied, the copy itself (reflinks where the file
// system has them, never hard links), the paths inside the copy that would lead
// back to the original, and the watch over the original. It takes a directory
// and gives directories. It knows nothing of compilers or trials and imports no
// other package of this module.
//
// What makes a copy a place to build in:
//   - Objects and programs (ELF files, archives, libtool's .lo and .la) get a
//     time older than any source, so that make and ninja build them again.
//   - The original's path in text files (CMakeCache.txt, config.status, build
//     files) becomes the copy's, so that a directory configured in the original
//     does not build there.
//   - Symbolic links keep pointing at what they pointed at; those into the
//     original point into the copy.
package tree
