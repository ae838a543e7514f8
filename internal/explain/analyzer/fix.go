package analyzer

// FixRequest is the rewriting's part of a request. With Fix no layer runs.
type FixRequest struct {
	Fix *FixAt `json:"fix,omitempty"`
	// Files stand in for what is on disk, for every layer.
	Files []SourceFile `json:"files,omitempty"`
}

// FixAt names a kind of fix and the place that it is for. The file is compared
// from its end.
type FixAt struct {
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Element is the name that the new element type of packed bits has, a class; ""
	// for char8_t.
	Element string `json:"element,omitempty"`
}

// SourceFile is the text of a file, by its absolute path.
type SourceFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// FixReply is the rewriting's part of an answer.
type FixReply struct {
	Fix *FixAnswer `json:"fix,omitempty"`
}

// FixAnswer is the edits of one unit's source, or why there are none.
type FixAnswer struct {
	Found       bool        `json:"found"` // the unit has something of this kind there
	What        string      `json:"what"`
	Edits       []FixEdit   `json:"edits"`
	Refusals    []FixRemark `json:"refusals"`
	Assumptions []FixRemark `json:"assumptions"`
	Notes       []FixRemark `json:"notes"`
	Slots       []FixSlot   `json:"slots"` // of packed bits
}

// NoChar8 is what an answer is about where the unit's language has no char8_t.
const NoChar8 = "no char8_t"

// FixSlot is a declaration, or what a function returns, whose type packs bits. It
// changes together with what it is tied to, in every unit that has it.
type FixSlot struct {
	ID          string          `json:"id"` // the same in every unit
	Name        string          `json:"name"`
	File        string          `json:"file"`
	Line        int             `json:"line"`
	Column      int             `json:"column"`
	Asked       bool            `json:"asked"`    // it is what stands at the place
	Shared      bool            `json:"shared"`   // other units may see it
	Function    bool            `json:"function"` // a parameter, or what a function returns,
	Body        bool            `json:"body"`     // whose body the unit has
	Ties        []string        `json:"ties"`     // identities
	Edits       []FixEdit       `json:"edits"`
	Refusals    []FixRemark     `json:"refusals"`    // why it cannot change
	Definitions []FixDefinition `json:"definitions"` // of the new type, before it is used in a file
}

// FixDefinition is a place where a type can be defined.
type FixDefinition struct {
	File   string `json:"file"`
	Offset int    `json:"offset"`
}

// FixEdit replaces Length bytes at Offset of a file.
type FixEdit struct {
	File   string `json:"file"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	Text   string `json:"text"`
}

// FixRemark is a sentence and the place it is about; Line is 0 where there is
// none.
type FixRemark struct {
	Text   string `json:"text"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}
