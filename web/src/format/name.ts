// Long names made short enough to read, for C++, Rust, Go and Java. The whole
// name always stays one hover away, so what is dropped here is only what rarely
// tells two frames apart: template arguments, parameters, hashes, versions.

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\[abi:[^\]]*\]/g, ""],
  [/@{1,2}[A-Z][A-Za-z]*_[\w.]+$/, ""], // malloc@@GLIBC_2.2.5
  [/::h[0-9a-f]{16}$/, ""], // Rust's hash
  [/\.(?:constprop|isra|part|cold|lto_priv|llvm)(?:\.\d+)*/g, ""], // clones of one function
  [/ \[clone [^\]]*\]/g, ""],
  [/\(anonymous namespace\)/g, "{anon}"],
  [/std::__(?:cxx11|1|ndk1)::/g, "std::"],
  [
    /std::basic_string(?:_view)?<char(?:, std::char_traits<char>)?(?:, std::allocator<char> ?)?>/g,
    "std::string",
  ],
  [/\{lambda\((?:[^()]|\([^()]*\))*\)#(\d+)\}/g, "{lambda#$1}"],
  [/\{\{closure\}\}/g, "{closure}"],
  [/\[go\.shape\.(?:[^[\]]|\[[^[\]]*\])*\]/g, "[…]"], // Go's type arguments
];

export function shortName(name: string): string {
  let s = name;
  for (const [pattern, text] of REPLACEMENTS) s = s.replace(pattern, text);
  if (/^(?:Lazy|Script|Function|Eval|JS|RegExp)[A-Za-z]*:[*~^+]?/.test(s)) return shortScript(s);
  if (/^[\w.\-~/%]+\/[\w.\-~%]+\.[\w(*]/.test(s)) return shortGo(s);
  if (/^L?[\w$]+(?:\/[\w$]+)+[.;:]/.test(s)) return shortJava(s);
  if (DOTTED.test(s)) return s.replace(DOTTED, "$1").replace(JAVA_TYPES, "");
  if (s.startsWith("<")) return shortImpl(s);
  return shortCpp(s);
}

// github.com/user/module/pkg.(*Type).Method → pkg.(*Type).Method
function shortGo(s: string): string {
  const stop = /[([]/.exec(s)?.index ?? s.length;
  return s.slice(s.lastIndexOf("/", stop) + 1);
}

// java.lang.String.hashCode → String.hashCode. A package alone (main.Type.Method) stays:
// that is Go.
const DOTTED = /^(?:[a-z]\w*\.){2,}([A-Z][\w$]*[.$])/;

// The types of a method's parameters and result, as the JVM writes them: (Ljava/lang/String;I)V
const JAVA_TYPES = /\((?:\[*(?:[BCDFIJSZ]|L[^()]*;))*\)\[*(?:[BCDFIJSVZ]|L[^()]*;)$/;

// java/lang/String.hashCode → String.hashCode; Ljava/lang/String;::hashCode too
function shortJava(s: string): string {
  const t = s.replace(/^L/, "").replace(/;::/, ".").replace(/\(.*$/, "");
  return t.slice(t.lastIndexOf("/") + 1);
}

// LazyCompile:*parse /home/app/lib/parser.js:10:2 → parse parser.js:10:2
function shortScript(s: string): string {
  return s.replace(/^[A-Za-z]+:[*~^+]?/, "").replace(/(^| )(?:file:\/\/)?\/?(?:[^/ ]+\/)+/, "$1");
}

// <alloc::vec::Vec<T> as core::ops::Drop>::drop → <Vec as Drop>::drop
function shortImpl(s: string): string {
  const end = closing(s, 0);
  if (end < 0) return s;
  const inner = s
    .slice(1, end)
    .split(" as ")
    .map((part) => lastComponent(dropTemplates(part)))
    .join(" as ");
  return `<${inner}>${dropTemplates(s.slice(end + 1))}`;
}

function shortCpp(s: string): string {
  return dropReturnType(dropTemplates(dropParameters(s)));
}

// closing is the index of the bracket that closes the one at open, or -1.
function closing(s: string, open: number): number {
  let depth = 0;
  for (let i = open; i < s.length; i++) {
    const c = s[i];
    if (c === "<") depth++;
    else if (c === ">" && s[i - 1] !== "-" && --depth === 0) return i;
  }
  return -1;
}

// Angle brackets that are no templates: of operators, in Python's names, and around the name
// of the method that a C# state machine or closure was made of: <RunAsync>d__4.
const LITERAL =
  /<[\w.]+>(?=[a-z]__)|<(?:locals|module|lambda|listcomp|dictcomp|setcomp|genexpr|string)>|operator\s?(?:<=>|<<=?|>>=?|<=?|>=?|->\*?|\(\))/g;

// dropTemplates turns vector<int, allocator<int>>::push_back into
// vector<…>::push_back; the angle brackets of operators stay.
function dropTemplates(s: string): string {
  const isLiteral = new Uint8Array(s.length);
  for (const m of s.matchAll(LITERAL)) isLiteral.fill(1, m.index, m.index + m[0].length);
  let out = "";
  let depth = 0;
  for (let i = 0; i < s.length; i++) {
    const c = s[i];
    if (isLiteral[i]) {
      if (depth === 0) out += c;
    } else if (c === "<") {
      if (depth++ === 0) out += "<…>";
    } else if (c === ">" && s[i - 1] !== "-") {
      if (depth === 0) return s; // not a template after all
      depth--;
    } else if (depth === 0) {
      out += c;
    }
  }
  return depth === 0 ? out : s;
}

// dropParameters cuts the parameter list, and what follows it, off.
function dropParameters(s: string): string {
  let angle = 0;
  for (let i = 1; i < s.length; i++) {
    const c = s[i];
    if (c === "<" && !s.slice(0, i).endsWith("operator") && !s.slice(0, i).endsWith("operator<"))
      angle++;
    else if (c === ">" && angle > 0 && s[i - 1] !== "-") angle--;
    if (c !== "(" || angle > 0) continue;
    if (s.startsWith("()", i) && s.slice(0, i).endsWith("operator")) {
      i++;
      continue;
    }
    const close = matchingParenthesis(s, i);
    if (close < 0) return s;
    const isReceiver = s[i - 1] === "."; // Go: main.(*Type).Method
    if (isReceiver || s.slice(0, i).endsWith("decltype")) {
      i = close;
      continue;
    }
    // A scope such as foo(int)::{lambda#1} goes on behind the parameters.
    const rest = s.slice(close + 1).replace(/^ (?:const|volatile|&&?|noexcept)+(?= |$|::)/, "");
    return s.slice(0, i) + (rest.startsWith("::") ? dropParameters(rest) : "");
  }
  return s;
}

function matchingParenthesis(s: string, open: number): number {
  let depth = 0;
  for (let i = open; i < s.length; i++) {
    if (s[i] === "(") depth++;
    else if (s[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

// A demangled template function starts with its return type: void f<…>.
function dropReturnType(s: string): string {
  if (!s.includes("<…>")) return s;
  const operator = s.search(/\boperator\b/);
  const space = s.lastIndexOf(" ", operator < 0 ? s.length : operator);
  return space > 0 && /^[\w:<>…*& ]+$/.test(s.slice(0, space)) ? s.slice(space + 1) : s;
}

function lastComponent(s: string): string {
  const scope = s.lastIndexOf("::");
  return s.slice(scope < 0 ? 0 : scope + 2).replace("<…>", "");
}

// splitName cuts a short name before its last part, which tells it from its neighbours:
// what is in front is what may be left out where room is scarce.
export function splitName(short: string): [scope: string, own: string] {
  let from = 0;
  for (;;) {
    const at = nextScope(short, from);
    if (at < 0) return [short.slice(0, from), short.slice(from)];
    from = at;
  }
}

// fitName makes a short name fit a number of pixels: first without leading
// scopes, then cut at the end. "" when not even a few letters fit.
export function fitName(short: string, room: number, measure: (s: string) => number): string {
  if (measure(short) <= room) return short;
  let from = 0;
  for (;;) {
    const at = nextScope(short, from);
    if (at < 0) break;
    from = at;
    const tail = `…${short.slice(from)}`;
    if (measure(tail) <= room) return tail;
  }
  const last = short.slice(from);
  let lo = 0;
  let hi = last.length;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (measure(`${last.slice(0, mid)}…`) <= room) lo = mid;
    else hi = mid - 1;
  }
  return lo >= 2 ? `${last.slice(0, lo)}…` : "";
}

// nextScope is where the next part of a name begins, -1 where there is none. Names with
// spaces have files in them, and those in brackets are files: their dots are none.
function nextScope(s: string, from: number): number {
  const scope = s.includes(" ") || s.startsWith("[") ? /::(?=.)/g : /::(?=.)|\.(?=[A-Za-z_(<$])/g;
  scope.lastIndex = from;
  const found = scope.exec(s);
  return found === null ? -1 : found.index + found[0].length;
}
