package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// A template engine that copies its document at the start of each loop, and takes it out of a stack
// at the end.
const rendered = `
void Renderer::render(const Template &t) {
  for (const auto &bc : t.codes) {
    level.data = (*m_data);  @1
    m_loops.pop_back();  @3
  }
}
int main() { other(); }  @2
`

func TestObjectsThatAreCopiedWhole(t *testing.T) {
	const (
		copied = "main@2 render@1 Document::Document std::_Rb_tree::_M_copy malloc"
		freed  = "main@2 render@3 std::vector::pop_back Document::~Document free"
	)
	for name, x := range map[string]struct{ code, copied, want string }{
		"assigned":      {rendered, copied, "@1 gets a copy of all of"},
		"an operator":   {rendered, "main@2 render@1 Document::operator= std::_Rb_tree::_M_copy malloc", "@1 gets a copy of all of"},
		"declared":      {strings.Replace(rendered, "level.data = (*m_data);", "Document d = this->data;", 1), copied, "@1 gets a copy of all of"},
		"moved":         {strings.Replace(rendered, "(*m_data)", "std::move(m_data)", 1), copied, ""},
		"made by call":  {strings.Replace(rendered, "(*m_data)", "parse(text)", 1), copied, ""},
		"a reference":   {strings.Replace(rendered, "level.data = (*m_data);", "const Document &d = *m_data;", 1), copied, ""},
		"nothing deep":  {rendered, "main@2 render@1 Document::Document", ""},
		"outside loops": {strings.Replace(rendered, "for (const auto &bc : t.codes)", "if (t.ready)", 1), copied, ""},
	} {
		p := read("/me/a.cpp", x.code, profile.KindNative)
		p.add(300, x.copied)
		p.add(100, freed)
		p.add(100, "main@2")
		checkOne(t, name, p, RuleAssigned, x.want)
	}
	p := read("/me/a.cpp", rendered, profile.KindNative)
	p.add(40, copied) // too little without what frees the copies
	p.add(60, freed)
	p.add(300, "main@2")
	checkOne(t, "freed elsewhere", p, RuleAssigned, "@1 gets a copy of all of")
}
