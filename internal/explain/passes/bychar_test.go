package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestTextsByCharacter(t *testing.T) {
	checkAll(t, map[string]written{
		"by an index, and a call for each": {"/me/a.php", `
<?php
function scan($text) {
    $len = strlen($text);
    for ($i = 0; $i < $len; $i++) {  @2
        if (tagBegins($text, $i)) {  @1
            flush();
        } else {
            $char = $text[$i];
            if ($char === "\n") {
                $line++;
            }
        }
    }
}
function tagBegins($text, $i) {
    return substr($text, $i, 2) === "{{";  @4
}
scan(load());  @3
`, "main@3 scan@1 tagBegins@4", "main@3", profile.KindPHP, RuleByChar, "@2 takes"},
		"each character": {"/me/a.py", `
def fields(line):
    out, now = [], ""
    for c in line:  @2
        if c == ",":  @1
            out.append(now)
            now = ""
        else:
            now += c
    return out
fields(load())  @3
`, "main@3 fields@1", "main@3", profile.KindPython, RuleByChar, "@2 takes"},
		"a while with an index": {"/me/a.rb", `
def tokens(source)
  i = 0
  while i < source.length  @2
    c = source[i]  @1
    i += 1
    case c
    when '('
      open(i)
    end
  end
end
tokens(load)  @3
`, "main@3 tokens@1", "main@3", profile.KindRuby, RuleByChar, "@2 takes"},
		"a list of marks": {"/me/a.py", `
def count(cells):
    n = 0
    for c in cells:  @2
        if c == "x":  @1
            n += 1
    return n
count(load())  @3
`, "main@3 count@1", "main@3", profile.KindPython, "", ""},
		"a list of words": {"/me/a.py", `
def count(words):
    n = 0
    for w in words:  @2
        if w == "I":  @1
            n += 1
    return n
count(load())  @3
`, "main@3 count@1", "main@3", profile.KindPython, "", ""},
		"nothing is compared": {"/me/a.py", `
def total(text):
    n = 0
    for c in text:  @2
        n = n * 31 + ord(c)  @1
    return n
total(load())  @3
`, "main@3 total@1", "main@3", profile.KindPython, "", ""},
		"compiled": {"/me/a.js", `
function count(text) {
  let n = 0;
  for (let i = 0; i < text.length; i++) {  @2
    const c = text[i];  @1
    if (c === "x") n++;
  }
  return n;
}
count(load());  @3
`, "main@3 count@1", "main@3", profile.KindJS, "", ""},
	})
}
