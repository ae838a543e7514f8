package growth

import (
	"regexp"
	"sync"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Kind is a kind of work that a line causes.
type Kind string

// The kinds. "" is the line's own work.
const (
	Copy    Kind = "copy"
	Search  Kind = "search"
	Compare Kind = "compare"
	Hash    Kind = "hash"
	Sort    Kind = "sort"
	Free    Kind = "free"
	Alloc   Kind = "allocate"
	Fault   Kind = "page fault"
	Collect Kind = "garbage collection"
	Format  Kind = "format"
)

// Text says what the kind of work is, for a sentence: "copies".
func (k Kind) Text() string {
	switch k {
	case Copy:
		return "copying"
	case Search:
		return "searching one element after the other"
	case Compare:
		return "comparing"
	case Hash:
		return "hash look-ups"
	case Sort:
		return "sorting"
	case Free:
		return "freeing memory"
	case Alloc:
		return "allocating memory"
	case Fault:
		return "page faults"
	case Collect:
		return "garbage collection"
	case Format:
		return "formatting"
	}
	return "the code of the line itself"
}

// rule knows a kind of work by the name of a function that does it.
type rule struct {
	kind Kind
	name func() *regexp.Regexp
}

// onUse compiles an expression when it is asked for: most commands never ask.
func onUse(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// primitives mean the same in whoever's code they stand: those of C libraries, kernels,
// compilers and language runtimes.
var primitives = []rule{
	{Collect, onUse(`^(gc_collect_\w*|gc_mark\w*|gc_sweep\w*|deduce_unreachable|_?PyGC_\w+|gc_start\w*|rb_gc\w*|garbage_collect\w*|runtime\.(gcBgMarkWorker\S*|gcDrain\S*|gcAssist\S*|scanobject|markroot\S*|greyobject|sweepone|bgsweep|gcStart\S*)|v8::internal::(\w*MarkCompact\w*|Scaveng\w+|Heap::\w*Collect\w*|\w*Mark\w*Visitor\w*)\b.*|\((gc|garbage collect\w+|marking|sweeping|compacting)\)|G1\w+::.*|PSParallel\w+::.*|Parallel\w*Collect\w*::.*|SerialHeap::.*|DefNewGeneration::.*|GenMarkSweep::.*|GC\w*Thread::.*|evacuate\w*|scavenge\w*|GarbageCollect|scheduleDoGC\S*|zend_gc_\w+|gc_possible_root\w*|erts_garbage_collect\w*|minor_collection\w*|major_collection\w*|full_sweep\w*|do_minor|sweep_\w+|mark_and_\w+)$`)},
	{Copy, onUse(`^(__)?(mem(cpy|move|pcpy)|wmem(cpy|move))(_\w+)?$|^(__)?(str(n?cat|n?cpy)|stp(n?cpy)|wcscat)(_\w+)?$|^(__libc_)?realloc(array)?$|^mremap$|^__(GI_)?___?libc_realloc$|^runtime\.(memmove|growslice|concatstring\w*|rawstring\w*|slicebytetostring|stringtoslicebyte)$|^(j?(byte|short|int|long)|oop|checkcast|unsafe)?_?(disjoint_)?array_?copy\w*$|^StubRoutines.*copy`)},
	{Search, onUse(`^(__)?(mem(r?chr|mem)|rawmemchr|str(r?chr|chrnul|str|casestr|n?len|c?spn|pbrk|tok(_r)?)|wcslen)(_\w+)?$|^l(find|search)$`)},
	{Compare, onUse(`^(__)?(mem(cmp|eq)|bcmp|str(n?(case)?cmp|coll)|__memcmpeq|wcscmp)(_\w+)?$|^runtime\.(memequal\w*|cmpstring|efaceeq|ifaceeq|strequal)$`)},
	{Free, onUse(`^(__libc_)?(c?free|_int_free\w*|munmap)$`)},
	{Alloc, onUse(`^(__libc_)?(malloc|calloc|_int_malloc|sysmalloc|mmap(64)?|brk|sbrk)$|^runtime\.(mallocgc\w*|makeslice|newobject)$`)},
	{Fault, onUse(`^(asm_exc_page_fault|exc_page_fault|page_fault|do_user_addr_fault|handle_mm_fault|clear_page\w*|el0_da)$`)},
}

// idioms are names in libraries and runtimes that say what they do. A program's own
// function of such a name is its own code.
var idioms = []rule{
	{Search, onUse(`(?i)^(list_contains|tuplecontains|PySequence_(Contains|Index|In|Count)|_PySequence_IterSearch|list_(index|count|remove)\w*|stringlib_\w*find\w*|fastsearch|\w*fastsearch\w*|PyUnicode_Find|FASTSEARCH|rb_ary_(includes|index|delete|rindex|include)\w*|rb_str_(index|include)\w*|php_search_array|zif_(in_array|array_search|strpos|str_contains)|php_mem\w*str|zend_mem\w*str|Perl_pp_(grepwhile|grepstart|index|match)|Perl_fbm_instr|Builtins_(Fast)?Array(IndexOf|Includes|Find|LastIndexOf|PrototypeIndexOf|PrototypeFind)\w*|Builtins_String(IndexOf|Includes|PrototypeIndexOf|PrototypeIncludes)\w*|(v8::internal::)?.*::(IndexOfValue|IncludesValue)\w*.*|(strings|bytes|slices|bytealg|internal/bytealg)\.(Index|Contains|Count|LastIndex)\w*(\[.*)?|(java[./]util[./]\w+[.:]+)(indexOf\w*|contains|lastIndexOf\w*|remove|node)|java[./]lang[./]String\w*[.:]+(indexOf|contains)\w*|java[./]util[./]LinkedList[.:]+(get|node)|(std::)?(_?_?find|count|search|any_of|find_if|__find_if|__count_if|adjacent_find)\b.*|core::slice::<?.*contains.*|<?core::slice::.*(contains|position|any).*|core::iter::.*(position|any|find).*|<.* as core::iter::traits::iterator::Iterator>::(any|position|find|all).*|core::str::.*(find|contains).*|base_\w*_(elem|lookup|find|filter)\w*|lists:(member|keyfind|keymember|keysearch|delete|nth)(/\d+)?|Tcl_\w*Search\w*|lsearch|Tcl_LsearchObjCmd|Tcl_Lsearch\w*|table\.(find|index))$`)},
	{Copy, onUse(`(?i)^(list_(concat|slice|extend|inplace_concat|ass_slice|insert|pop)\w*|ins1|list___init__\w*|(tuple|bytes|bytearray|unicode)_?concat\w*|PyUnicode_(Concat|Append)|PyBytes_Concat|unicode_concatenate|dict_(copy|merge|update)\w*|PyDict_(Copy|Merge|Update)|set_(copy|or|update)\w*|PyList_(GetSlice|AsTuple|SetSlice|Insert)|rb_ary_(plus|concat|dup|replace|unshift|shift|push_all)\w*|ary_(make_shared|ensure_room\w*|splice)\w*|rb_str_(plus|dup|concat|substr|subseq|append|times)\w*|rb_hash_(merge|dup|update|replace|aset_str)\w*|(rb_)?hash_(copy|dup)\w*|hash_ar_table\w*|st_copy|ar_copy|php_array_(merge|replace)\w*|zend_array_dup\w*|zend_hash_(copy|merge)\w*|(zif_)?(array_merge|array_merge_recursive|array_replace|array_unshift|array_shift|array_splice|array_slice)|zif_substr|concat_function|zend_string_(extend|realloc)\w*|Perl_(sv_(setsv|catsv|catpvn|insert|setpvn)\w*|pp_(concat|multiconcat|splice|shift|unshift|aassign|join|substr)|av_(unshift|store|make))|Builtins_(StringAdd\w*|CloneFastJSArray\w*|IterableToList\w*|ArrayPrototype(Concat|Slice|Splice|Shift|Unshift)\w*|Array(Concat|Slice|Splice|Shift|Unshift)\w*|CloneObjectIC\w*|ObjectAssign|SetDataProperties\w*|CopyDataProperties\w*|StringSlice\w*|SubString\w*|ExtractFastJSArray\w*)|v8::internal::(String::(SlowFlatten|Flatten|WriteToFlat|VisitFlat)\w*|Fast_?ArrayConcat|Slow_ArrayConcat|Builtin_Array(Concat|Shift|Unshift|Splice)\w*|\w*MoveElements\w*|\w*CopyElements\w*|Heap::MoveRange|FixedArray::\w*|Factory::(Copy|NewConsString)\w*|Runtime_(CloneObject|SetDataProperties|CopyDataProperties|StringAdd)\w*).*|(strings|bytes)\.(Join|Repeat|Replace\w*|Clone)|slices\.(Insert|Delete|Concat|Clone|Grow)\S*|java[./]lang[./](StringConcatHelper|AbstractStringBuilder|StringBuilder|StringUTF16|StringLatin1|String|System)[.:]+(concat|simpleConcat|prepend|mix|newArray|newString|append|arraycopy|inflate|toString|substring|getBytes|insert|deleteCharAt|replace|<init>|valueOf|newStringNoRepl)\w*|java[./]util[./](Arrays|ArrayList|Vector|LinkedList|AbstractCollection|ArrayDeque|ImmutableCollections\w*)[.:$]+(copyOf\w*|addAll|add|remove|fastRemove|shiftTailOverGap|toArray|<init>|of|grow|listCopy)|(std::)?(__cxx11::)?(basic_)?string<?.*(append|_M_append|_M_mutate|operator\+|insert|_M_replace|erase|substr|_M_construct|basic_string).*|std::operator\+.*|std::vector<.*>::(vector|insert|erase|_M_\w*insert\w*|_M_realloc\w*|_M_erase|operator=|push_back|_M_assign\w*).*|std::(__)?(copy|move|rotate)\w*.*|alloc::(vec|string|slice)::.*(insert|remove|clone|to_vec|to_owned|concat|extend|drain|splice|dedup|retain).*|<alloc::(vec|string)::.*(Clone|Add|Extend|FromIterator|SpecFromIter|SpecExtend).*|base_GHC(zi|\.)Base_(zpzp|append).*|base_\w*zpzp\w*|(erlang|lists):('?\+\+'?|append|sublist|reverse)(/\d+)?|text\w*_(append|concat)\w*|bytestring\w*_(append|concat)\w*|Tcl_(ListObjReplace|ConcatObj|AppendObjToObj|DuplicateObj|LinsertObjCmd|LreplaceObjCmd)|DupListInternalRep|TclListObjCopy|NewListInternalRep)$`)},
	{Compare, onUse(`(?i)^(PyObject_RichCompare\w*|unicode_compare\w*|\w*_richcompare|rb_(equal|eql|str_equal|str_hash_cmp)\w*|zend_(compare|is_identical|string_equal)\w*|zendi_smart_str\w*|Perl_sv_(eq|cmp)\w*|Builtins_(StrictEqual|Equal|StringEqual)\w*|java[./]lang[./]String\w*[.:]+(equals|compareTo)\w*|java[./]util[./]Objects[.:]+equals|reflect\.DeepEqual|bytes\.Equal|(std::)?operator(==|<).*|Data\w*Eq\w*)$`)},
	{Hash, onUse(`(?i)^(_?Py_dict_lookup\w*|lookdict\w*|unicodekeys_lookup\w*|dictkeys_\w*lookup\w*|set_(add|contains|lookkey)\w*|PyDict_(Get|Set|Contains)\w*|rb_hash_(aref|aset|lookup|has_key)\w*|st_(lookup|insert|update|add_direct)\w*|zend_hash_(find|add|update|lookup|index)\w*|Perl_hv_common\w*|Builtins_(Map|Set|FindOrderedHash)\w*|v8::internal::OrderedHash\w*.*|runtime\.map(access|assign|delete)\w*|internal/runtime/maps\..*|java[./]util[./](Hash\w+|LinkedHash\w+|concurrent[./]ConcurrentHash\w+)[.:$]+\w+|std::_Hash\w+.*|std::unordered_\w+.*|hashbrown::.*|std::collections::hash.*)$`)},
	{Free, onUse(`^(Perl_(sv_clear|sv_free2?|hv_clear|hv_undef\w*|leave_scope|pp_leave|free_tmps)|perl_destruct|_?Py_Dealloc|\w+_dealloc|zend_array_destroy|rc_dtor_func|zend_objects_store_\w+|zend_hash_destroy|obj_free)$`)},
	{Sort, onUse(`(?i)^(list_sort\w*|binarysort|merge_(lo|hi|at|collapse)|msort_with_tmp|qsort(_r)?|rb_ary_sort\w*|ruby_qsort\w*|zend_sort|zend_insert_sort|Perl_(sortsv|pp_sort)\w*|sort\.\w+|slices\.(Sort\w*|\w*pdq\w*)(\[.*)?|java[./]util[./](TimSort|DualPivotQuicksort|ComparableTimSort)[.:]+\w+|std::(__)?(sort|introsort_loop|insertion_sort|unguarded_linear_insert|adjust_heap|partial_sort|stable_sort)\w*.*|core::slice::sort.*|base_Data(zi|\.)(OldList|List)_sort.*|lists:(sort|usort|keysort|fusplit\w*|merge\w*)(/\d+)?|Builtins_ArrayTimSort\w*)$`)},
	{Format, onUse(`(?i)^(__)?(v?s?n?printf\w*|__vfprintf_internal|fmt\.\w+.*|core::fmt::.*|PyUnicode_Format\w*|_PyLong_Format\w*)$`)},
}

// builtIns are functions that a language has of its own and shows in stacks under the name
// that a program calls.
var builtIns = []rule{
	{Copy, onUse(`^(array_(merge|merge_recursive|replace|shift|unshift|splice|slice|pad|reverse|values|keys)|substr|substr_replace|str_replace|implode|(Array\.)?(concat|slice|splice|shift|unshift|from)|(Object\.)?assign)$`)},
	{Copy, onUse(`^(\.\.|table\.(concat|insert|move|remove|unpack)|string\.(rep|sub)|c|append|[rc]bind(\.data\.frame)?|(\[|\[\[|\$)<-(\.data\.frame)?|unlist|paste0?)$`)},
	{Search, onUse(`^(string\.(find|match|gsub)|%in%|match|which|is\.element|setdiff|union|unique|duplicated|grepl?)$`)},
	{Search, onUse(`^(in_array|array_(search|filter|diff|intersect|unique)|strpos|str_contains|(Array\.|String\.)?(indexOf|includes|lastIndexOf|find|findIndex|some))$`)},
	{Sort, onUse(`^([aku]?r?sort|uksort|uasort|array_multisort)$`)},
}

// kindOf is the kind of work that a function is known for.
func kindOf(fn *profile.Function, from origin.Origin) Kind {
	if fn.Name == "" {
		return ""
	}
	lists := [][]rule{primitives}
	if from != origin.Own {
		lists = append(lists, idioms)
	}
	if ownline.BuiltIn(fn) {
		lists = append(lists, builtIns)
	}
	// A program may have a function of a primitive's name in a language of its own.
	interpreted := from == origin.Own && !ownline.BuiltIn(fn) && fn.Kind > profile.KindJIT && fn.Kind != profile.KindGo
	if interpreted {
		return ""
	}
	for _, rules := range lists {
		for i := range rules {
			if rules[i].name().MatchString(fn.Name) {
				return rules[i].kind
			}
		}
	}
	return ""
}
