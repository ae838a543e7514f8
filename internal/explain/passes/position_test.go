package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestPositionsCountedFromTheStart(t *testing.T) {
	checkAll(t, map[string]written{
		"a character": {"/me/a.rs", `
impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.src.chars().nth(self.pos + ahead)  @1
    }
    fn next(&mut self) {
        while let Some(c) = self.peek(0) { self.take(c) }  @3
    }
}
`, "next@3 peek@1 nth", "next@3", profile.KindNative, RulePosition, "@1 counted from"},
		"the first character": {"/me/a.rs", `
fn capital(s: &str) -> Option<char> {
    s.chars().nth(0)  @1
}
fn all(words: &[String]) {
    for w in words { put(capital(w)) }  @3
}
`, "all@3 capital@1 nth", "all@3", profile.KindNative, "", ""},
		"a part of a text": {"/me/a.php", `<?php
function slug(string $text): string {
    for ($i = 0; $i < $n; $i++) {
        $char = mb_substr($text, $i, 1, 'UTF-8');  @1
        $out .= map($char);  @3
    }
}
`, "slug@1 mb_substr", "slug@3", profile.KindPHP, RulePosition, "@1 counted from"},
		"a live list of nodes": {"/me/a.php", `<?php
function products(DOMDocument $doc) {
    $items = $doc->getElementsByTagName('item');
    for ($i = 0; $i < $n; $i++) {
        $f = fields($items->item($i));  @1
        show($f);  @3
    }
}
`, "products@1 dom_nodelist_item", "products@3", profile.KindPHP, RulePosition, "@1 counted from"},
		"the same part": {"/me/a.php", `<?php
function capital(array $words): string {
    foreach ($words as $w) {
        $char = mb_substr($w, 0, 1);  @1
        $out .= map($char);  @3
    }
}
`, "capital@1 mb_substr", "capital@3", profile.KindPHP, "", ""},
		"of a linked list": {"/me/A.java", `
class A {
    private final List<Track> tracks = new LinkedList<>();
    int seconds(int from, int to) {
        for (int i = from; i < to; i++) {
            sum += tracks.get(i).seconds();  @1
            put(sum);  @3
        }
    }
}
`, "seconds@1 LinkedList.node", "seconds@3", profile.KindJava, RulePosition, "@1 counted from"},
		"of an array": {"/me/A.java", `
class A {
    private final List<Track> tracks = new ArrayList<>();
    private final List<Track> other = new LinkedList<>();
    int seconds(int from, int to) {
        for (int i = from; i < to; i++) {
            sum += tracks.get(i).seconds();  @1
            put(sum);  @3
        }
    }
}
`, "seconds@1 Track.seconds", "seconds@3", profile.KindJava, "", ""},
		"a length in a condition": {"/me/a.c", `
static void slugify(char *text) {
    for (size_t i = 0; i < strlen(text); i++) {  @1
        text[w++] = tolower(text[i]);  @3
    }
}
`, "slugify@1 __strlen_avx2", "slugify@3", profile.KindNative, RulePosition, "@1 measured on"},
		"a length before the loop": {"/me/a.c", `
static void slugify(char *text) {
    for (size_t i = 0, n = strlen(text); i < n; i++) {  @1
        text[w++] = tolower(text[i]);  @3
    }
}
`, "slugify@1 __strlen_avx2", "slugify@3", profile.KindNative, "", ""},
	})
}
