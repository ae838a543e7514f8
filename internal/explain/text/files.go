package text

// Files are files of a program, each of which is read once.
type Files struct {
	source func(path string) (lines []string, ok bool)
	known  map[string]*File
}

// NewFiles are those that a source gives the lines of.
func NewFiles(source func(path string) (lines []string, ok bool)) *Files {
	return &Files{source, map[string]*File{}}
}

// At is the file of a path, nil where it cannot be read or its language is not known.
func (s *Files) At(path string) *File {
	f, known := s.known[path]
	if !known {
		if lines, ok := s.source(path); ok {
			f, _ = Read(path, lines)
		}
		s.known[path] = f
	}
	return f
}
