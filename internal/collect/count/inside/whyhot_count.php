<?php

// Counts calls of the functions that whyhot count names, their different arguments, and
// whether the same arguments give the same result.
//
// It takes the place of the script, and includes it. What a file includes, it is asked for
// first: where functions of that file are wanted, or where it includes others, PHP gets it
// rewritten, by a stream wrapper that is there for the one time that the file is opened.
// Lines stay what they are, and a file that does not parse then is taken as it is.
final class WhyhotCount
{
    private const MOST = 1 << 16; // different arguments of a function
    private const LONGEST = 64; // items of a container that are looked at: half of them the last
    private const SAVE = 1_000_000_000; // ns between two times that the counts are written
    private const ENOUGH = 1_000_000_000; // ns of looking at a function, before fewer of its calls are looked at

    private static $tallies = [];
    private static $files = []; // path: indexes of tallies
    private static $results;
    private static $process;
    private static $tokens; // of an object: what tells it from all others
    private static $token = 0;
    private static $saved = 0; // when the counts were written
    private static $wasted = 0; // ns in here: the calls that are counted do not take that
    private static $internal = []; // class: whether PHP has it
    private static $unseen;
    private static $next = null; // path and text of the file that is opened next
    private static $script = '';

    public $context;
    private $text = '';
    private $at = 0;

    /** Whether the script is to be included. */
    public static function start()
    {
        $names = getenv('WHYHOT_COUNT_FUNCTIONS');
        self::$results = getenv('WHYHOT_COUNT_RESULTS');
        $script = $_SERVER['SCRIPT_FILENAME'] ?? '';
        if ($names === false || self::$results === false || PHP_SAPI !== 'cli' || PHP_VERSION_ID < 80000 || !function_exists('token_get_all')) {
            return false;
        }
        $path = $script === '' ? false : realpath($script);
        if ($path === false || !is_file($path) || stripos((string) file_get_contents($path), '__halt_compiler') !== false) {
            return false;
        }
        if (ini_get('opcache.file_cache')) {
            ini_set('opcache.enable', '0'); // what is rewritten must not be kept for later runs
        }
        foreach (json_decode(file_get_contents($names), true) as $w) {
            if ($w['language'] === 'php') {
                self::$files[realpath($w['file']) ?: $w['file']][] = count(self::$tallies);
                self::$tallies[] = self::cleared(['name' => $w['name'], 'file' => $w['file'], 'line' => $w['line'] ?? 0, 'found' => false]);
            }
        }
        self::$process = getmypid();
        self::$tokens = new WeakMap();
        self::$unseen = new WhyhotUnseen();
        self::$script = $path;
        register_shutdown_function([self::class, 'write'], true);
        set_exception_handler([self::class, 'uncaught']);
        return true;
    }

    public static function script()
    {
        return self::$script;
    }

    private static function cleared($t)
    {
        return ['count' => 0, 'looked' => 0, 'repeated' => 0, 'same' => 0, 'nothing' => 0, 'plain' => 0, 'cyclic' => 0, 'spent' => 0, 'stride' => 1,
            'first_time' => 0, 'again_time' => 0, // ns of the calls that are looked at: with new arguments, with known ones
            'first' => [], 'results' => [], 'times' => array_fill(0, 64, 0), 'active' => 0, 'recursive' => false] + $t;
    }

    /** Leaves the frame that includes the script out of the stack that PHP prints. */
    public static function uncaught($e)
    {
        for ($of = $e; $of !== null; $of = $of->getPrevious()) {
            $trace = new ReflectionProperty($of instanceof Error ? Error::class : Exception::class, 'trace');
            $trace->setAccessible(true);
            $frames = $trace->getValue($of);
            if ($frames && (end($frames)['file'] ?? '') === __FILE__) {
                array_pop($frames);
                $trace->setValue($of, $frames);
            }
        }
        throw $e;
    }

    // ---- What is called, and what it gives.

    /** Of a generator, or where a function asks for its variables. */
    public static function n($i)
    {
        self::$tallies[$i]['count']++;
    }

    public static function b($i, $site, $receiver, $made, $values)
    {
        if (self::$process !== getmypid()) { // a child counts its own calls only
            self::$process = getmypid();
            self::$tallies = array_map([self::class, 'cleared'], array_map(function ($t) { return array_intersect_key($t, ['name' => 1, 'file' => 1, 'line' => 1, 'found' => 1]); }, self::$tallies));
        }
        $t = &self::$tallies[$i];
        if (++$t['count'] % $t['stride'] !== 0 || count($t['first']) >= self::MOST) {
            return self::$unseen;
        }
        $from = hrtime(true);
        $call = new WhyhotCall();
        $call->i = $i;
        $call->made = $made;
        $text = $site . ($made ? get_class($receiver) : self::text($receiver, 2, false));
        if (!$made && is_object($receiver)) {
            $call->passed[] = $receiver;
        }
        foreach ($values as $value) {
            $text .= ',' . self::text($value, 2, false);
            if (is_object($value)) {
                $call->passed[] = $value;
            }
        }
        $call->arguments = md5($text, true);
        $call->number = $t['count'];
        $t['recursive'] = $t['recursive'] || $t['active'] > 0;
        $t['active']++;
        $until = hrtime(true);
        $t['spent'] += $until - $from;
        self::$wasted += $until - $from;
        $call->from = $until - self::$wasted;
        return $call;
    }

    public static function e($call)
    {
        if ($call === self::$unseen) {
            return;
        }
        $from = hrtime(true);
        $t = &self::$tallies[$call->i];
        $value = $call->r;
        $took = max(0, $from - self::$wasted - $call->from);
        $t['times'][(int) log($call->number, 2)] += $took * $t['stride'];
        $t['active']--;
        $t['looked']++;
        $result = '';
        if ($call->made) {
            $t['nothing']++;
        } else {
            if ($value === null || is_resource($value) || $value instanceof Iterator || (is_object($value) && in_array($value, $call->passed, true))) {
                $t['nothing']++;
            } else {
                $t['plain'] += is_int($value) || is_float($value) || is_bool($value) ? 1 : 0;
                $result = md5(self::text($value, 3, true), true);
                if (count($t['results']) < self::MOST) {
                    $t['results'][$result] = true;
                }
            }
        }
        $call->r = null;
        $call->passed = [];
        if (isset($t['first'][$call->arguments])) {
            [$first, $last, $before] = $t['first'][$call->arguments];
            $distance = $t['looked'] - $last;
            $t['repeated']++;
            $t['again_time'] += $took;
            $t['same'] += $first === $result ? 1 : 0;
            $t['cyclic'] += $distance === $before && 2 * $distance >= count($t['first']) ? 1 : 0;
            $t['first'][$call->arguments] = [$first, $t['looked'], $distance];
        } else {
            $t['first_time'] += $took;
            $t['first'][$call->arguments] = [$result, $t['looked'], 0];
        }
        if ($from - self::$saved > self::SAVE) {
            self::write(false); // a process that is killed has been written a second before
        }
        $spent = hrtime(true) - $from;
        $t['spent'] += $spent;
        self::$wasted += $spent;
        if ($t['spent'] > self::ENOUGH * (1 + (int) log($t['stride'], 2))) {
            $t['stride'] *= 2;
        }
    }

    /** What a value is made of, where it is no object; else which it is, or, for results, what is inside. */
    private static function text($value, $depth, $inside)
    {
        if (is_string($value)) {
            return strlen($value) > 64 ? 's' . strlen($value) . ':' . md5($value, true) : 's' . strlen($value) . ':' . $value;
        }
        if (is_int($value)) {
            return "i$value";
        }
        if (is_float($value)) {
            return 'f' . pack('d', $value);
        }
        if ($value === null || is_bool($value)) {
            return $value === null ? 'n' : ($value ? 't' : 'F');
        }
        if (is_array($value)) {
            return $depth > 0 ? 'a' . self::items($value, $depth - 1, $inside) : 'a' . ++self::$token; // deeper than is looked: like no other
        }
        if (!is_object($value)) {
            return 'r' . (int) $value;
        }
        $class = get_class($value);
        if ($inside && $depth > 0 && !(self::$internal[$class] ??= (new ReflectionClass($value))->isInternal())) {
            return "o$class" . self::items(get_mangled_object_vars($value), $depth - 1, $inside);
        }
        return 'O' . (self::$tokens[$value] ??= ++self::$token);
    }

    private static function items($list, $depth, $inside)
    {
        $n = count($list);
        if ($n > self::LONGEST) {
            $list = array_slice($list, 0, self::LONGEST / 2, true) + array_slice($list, -self::LONGEST / 2, null, true);
        }
        $text = $n . '[';
        foreach ($list as $key => $value) {
            $text .= (is_int($key) ? $key : '"' . strlen($key) . ':' . $key) . '=' . self::text($value, $depth, $inside) . ',';
        }
        return $text . ']';
    }

    public static function write($again)
    {
        if ($again) { // the program may have such functions, which come first
            register_shutdown_function([self::class, 'write'], false);
        }
        self::$saved = hrtime(true);
        $functions = [];
        foreach (self::$process === getmypid() ? self::$tallies : [] as $t) {
            if ($t['found']) {
                $functions[] = ['name' => $t['name'], 'file' => $t['file'], 'line' => $t['line'], 'count' => $t['count'],
                    'different' => count($t['first']) < self::MOST ? count($t['first']) : 0, 'looked' => $t['looked'], 'repeated' => $t['repeated'],
                    'same' => $t['same'], 'results' => count($t['results']), 'nothing' => $t['nothing'],
                    'plain' => $t['plain'], 'cyclic' => $t['cyclic'], 'first_time' => $t['first_time'], 'again_time' => $t['again_time'], 'times' => $t['recursive'] || $t['count'] === 0 ? [] : array_slice($t['times'], 0, 1 + (int) log($t['count'], 2))];
            }
        }
        $file = self::$results . '/' . getmypid() . '.json';
        if (@file_put_contents("$file.part", json_encode(['language' => 'php', 'way' => 'source', 'functions' => $functions])) !== false) {
            @rename("$file.part", $file);
        }
    }

    // ---- What is included.

    /** Is asked for each file before it is included; gives back the path that it is given. */
    public static function a($given, $dir, $once)
    {
        if (self::$next !== null) { // it was not opened
            self::restore();
        }
        $path = (string) $given;
        if ($path === '' || strpos($path, '://') !== false || strpos($path, "\0") !== false) {
            return $given;
        }
        $full = false;
        if ($path[0] === '/') {
            $full = realpath($path);
        } elseif (preg_match('~^\.\.?/~', $path)) {
            $full = realpath(getcwd() . '/' . $path);
        } else {
            foreach (array_merge(explode(PATH_SEPARATOR, get_include_path()), [$dir]) as $in) {
                $full = realpath(($in === '' || $in[0] !== '/' ? getcwd() . '/' : '') . $in . '/' . $path);
                if ($full !== false) {
                    break;
                }
            }
        }
        if ($full === false || !is_file($full) || ($once && in_array($full, get_included_files(), true))) {
            return $given;
        }
        $text = @file_get_contents($full);
        if ($text === false) {
            return $given;
        }
        $changed = self::rewritten($text, self::$files[$full] ?? [], $full === self::$script);
        if ($changed !== null) {
            self::$next = [$full, $changed];
            stream_wrapper_unregister('file');
            stream_wrapper_register('file', self::class);
        }
        return $given;
    }

    private static function restore()
    {
        self::$next = null;
        stream_wrapper_restore('file');
    }

    public function stream_open($path, $mode, $options, &$opened)
    {
        [$file, $text] = self::$next;
        self::restore();
        if (strncmp($path, 'file://', 7) === 0) {
            $path = substr($path, 7);
        }
        if (realpath($path) !== $file) {
            $text = @file_get_contents($path);
        }
        $this->text = $text;
        return $text !== false;
    }

    public function stream_read($count)
    {
        $part = substr($this->text, $this->at, $count);
        $this->at += strlen($part);
        return $part;
    }

    public function stream_eof()
    {
        return $this->at >= strlen($this->text);
    }

    public function stream_stat()
    {
        return ['size' => strlen($this->text), 'mode' => 0100644];
    }

    public function stream_set_option($option, $one, $two)
    {
        return false;
    }

    public function url_stat($path, $flags)
    {
        $next = self::$next;
        self::restore();
        $stat = $flags & STREAM_URL_STAT_LINK ? @lstat($path) : @stat($path);
        self::$next = $next;
        stream_wrapper_unregister('file');
        stream_wrapper_register('file', self::class);
        return $stat;
    }

    // ---- How a file is rewritten.

    /** The text of a file with what tells the counter, null where nothing has to be told. */
    private static function rewritten($text, $wanted, $isScript)
    {
        $shebang = $isScript && strncmp($text, '#!', 2) === 0;
        if (!$wanted && !$shebang && !preg_match('/\b(?:include|require)(?:_once)?\b/i', $text)) {
            return null;
        }
        if (stripos($text, '__halt_compiler') !== false) {
            return null; // it knows where it is in the file
        }
        if ($shebang) { // of an included file PHP would print it
            $text = preg_replace('/\A#![^\n]*\n<\?php\b/', "<?php \n", $text, 1, $n);
            if ($n !== 1) {
                return null;
            }
        }
        $found = [];
        foreach ($wanted ? [$wanted, []] : [[]] as $which) {
            try {
                $changed = self::told($text, $which, $found);
                if ($changed === $text && !$shebang) {
                    return null;
                }
                token_get_all($changed, TOKEN_PARSE);
            } catch (Throwable $e) {
                continue;
            }
            foreach ($which ? $found : [] as $i => $_) {
                self::$tallies[$i]['found'] = true;
            }
            return $changed;
        }
        return null;
    }

    private static function told($text, $wanted, &$found)
    {
        $tokens = [];
        $line = 1;
        foreach (token_get_all($text, TOKEN_PARSE) as $token) {
            $tokens[] = is_array($token) ? [$token[0], $token[1], $line] : [0, $token, $line];
            $line += substr_count(is_array($token) ? $token[1] : $token, "\n");
        }
        $count = count($tokens);
        $skip = [T_WHITESPACE => 1, T_COMMENT => 1, T_DOC_COMMENT => 1];
        $after = function ($k) use ($tokens, $count, $skip) {
            for ($k++; $k < $count && isset($skip[$tokens[$k][0]]); $k++);
            return $k;
        };
        $before = function ($k) use ($tokens, $skip) {
            for ($k--; $k >= 0 && isset($skip[$tokens[$k][0]]); $k--);
            return $k;
        };
        $opens = ['(' => 1, '[' => 1, '{' => 1, '${' => 1, '{$' => 1, '#[' => 1];
        $closes = [')' => 1, ']' => 1, '}' => 1];
        // Where an expression ends: the token behind it.
        $end = function ($k, $stops) use ($tokens, $count, $opens, $closes) {
            for ($depth = $choices = 0; $k < $count; $k++) {
                $word = $tokens[$k][1];
                if ($tokens[$k][0] === T_CONSTANT_ENCAPSED_STRING || $tokens[$k][0] === T_ENCAPSED_AND_WHITESPACE || $tokens[$k][0] === T_INLINE_HTML) {
                    continue;
                }
                if (isset($opens[$word])) {
                    $depth++;
                } elseif (isset($closes[$word])) {
                    if ($depth-- === 0) {
                        return $k;
                    }
                } elseif ($depth === 0 && $word === '?') {
                    $choices++;
                } elseif ($depth === 0 && $word === ':' && $stops && $choices-- === 0) {
                    return $k;
                } elseif ($depth === 0 && ($word === ';' || $tokens[$k][0] === T_CLOSE_TAG || isset($stops[$tokens[$k][0]]) || ($word === ',' && $stops))) {
                    return $k;
                }
            }
            return $count;
        };
        $insert = []; // before a token: texts
        $namespace = '';
        $stack = []; // of braces: [kind, what]
        $pending = null; // a class or a function whose brace follows
        $functions = [];
        for ($k = 0; $k < $count; $k++) {
            [$id, $word] = $tokens[$k];
            switch (true) {
                case $id === T_NAMESPACE:
                    $next = $after($k);
                    if ($tokens[$next][1] !== '\\') {
                        $namespace = in_array($tokens[$next][1], ['{', ';'], true) ? '' : $tokens[$next][1] . '\\';
                    }
                    break;
                case in_array($id, [T_CLASS, T_TRAIT, T_INTERFACE, defined('T_ENUM') ? T_ENUM : -1], true):
                    if ($tokens[$before($k)][0] === T_DOUBLE_COLON) {
                        break;
                    }
                    $next = $after($k);
                    $pending = ['class', $tokens[$next][0] === T_STRING ? $namespace . $tokens[$next][1] : 'class@anonymous'];
                    // The brace of a class follows its arguments, which may have braces.
                    if ($tokens[$next][1] === '(') {
                        $pending[2] = $end($after($next), []);
                    }
                    break;
                case $id === T_FUNCTION || $id === T_FN:
                    $last = $before($k);
                    if ($last >= 0 && in_array($tokens[$last][0], [T_USE, T_DOUBLE_COLON, T_OBJECT_OPERATOR], true)) {
                        break;
                    }
                    $next = $after($k);
                    $reference = $tokens[$next][1] === '&';
                    if ($reference) {
                        $next = $after($next);
                    }
                    if ($tokens[$next][1] !== '(' && $tokens[$after($next)][1] !== '(') {
                        break; // a constant or a property of the name
                    }
                    if ($id === T_FN) {
                        break;
                    }
                    $class = null;
                    foreach (array_reverse($stack) as $in) {
                        if ($in[0] !== 'block') {
                            $class = $in[0] === 'class' ? $in[1] : null;
                            break;
                        }
                    }
                    $name = $tokens[$next][1] === '(' ? '{closure}' : $tokens[$next][1];
                    $static = false;
                    for ($m = $before($k); $m >= 0 && in_array($tokens[$m][0], [T_STATIC, T_PUBLIC, T_PROTECTED, T_PRIVATE, T_FINAL, T_ABSTRACT], true); $m = $before($m)) {
                        $static = $static || $tokens[$m][0] === T_STATIC;
                    }
                    $f = count($functions);
                    $functions[] = ['name' => $name, 'full' => $class === null ? $namespace . $name : "$class::$name", 'class' => $class, 'static' => $static,
                        'reference' => $reference, 'line' => $tokens[$k][2], 'at' => $k, 'generator' => false, 'asks' => false, 'open' => null, 'close' => null, 'returns' => []];
                    // Behind the parameters and what it returns comes the body, or none.
                    $open = $tokens[$next][1] === '(' ? $next : $after($next);
                    $pending = ['function', $f, $end($after($open), [])];
                    break;
                case $word === '{' && $id === 0:
                    if ($pending !== null && $k > ($pending[2] ?? -1)) {
                        $stack[] = $pending;
                        if ($pending[0] === 'function') {
                            $functions[$pending[1]]['open'] = $k;
                        }
                        $pending = null;
                    } else {
                        $stack[] = ['block'];
                    }
                    break;
                case $id === T_CURLY_OPEN || $id === T_DOLLAR_OPEN_CURLY_BRACES:
                    $stack[] = ['block'];
                    break;
                case $word === '}' && $id === 0:
                    $closed = array_pop($stack);
                    if ($closed !== null && $closed[0] === 'function') {
                        $functions[$closed[1]]['close'] = $k;
                    }
                    break;
                case $word === ';' && $id === 0:
                    if ($pending !== null && $pending[0] === 'function' && $k > $pending[2]) {
                        $pending = null; // abstract
                    }
                    break;
                case in_array($id, [T_RETURN, T_YIELD, T_YIELD_FROM], true) || (in_array($id, [T_STRING, defined('T_NAME_FULLY_QUALIFIED') ? T_NAME_FULLY_QUALIFIED : T_STRING], true) && in_array(strtolower($word), ['get_defined_vars', '\\get_defined_vars'], true)):
                    foreach (array_reverse($stack) as $in) {
                        if ($in[0] === 'function') {
                            if ($id === T_RETURN) {
                                $functions[$in[1]]['returns'][] = $k;
                            } elseif ($id === T_YIELD || $id === T_YIELD_FROM) {
                                $functions[$in[1]]['generator'] = true;
                            } else {
                                $functions[$in[1]]['asks'] = true;
                            }
                            break;
                        }
                    }
                    break;
                case in_array($id, [T_INCLUDE, T_INCLUDE_ONCE, T_REQUIRE, T_REQUIRE_ONCE], true):
                    $from = $after($k);
                    $once = $id === T_INCLUDE_ONCE || $id === T_REQUIRE_ONCE ? 'true' : 'false';
                    $to = $end($from, [T_DOUBLE_ARROW => 1, T_LOGICAL_AND => 1, T_LOGICAL_OR => 1, T_LOGICAL_XOR => 1]);
                    $insert[$k + 1][] = ' \\WhyhotCount::a((';
                    $insert[$before($to) + 1][] = "),__DIR__,$once)";
                    break;
            }
        }
        foreach ($functions as $f) {
            $i = null;
            if ($f['open'] !== null && $f['close'] !== null && !$f['reference'] && $f['name'] !== '{closure}') {
                $i = self::wantedAs($f, $functions, $wanted);
            }
            if ($i === null) {
                continue;
            }
            $found[$i] = true;
            if ($f['generator'] || $f['asks']) {
                $insert[$f['open'] + 1][] = "\\WhyhotCount::n($i);";
                continue;
            }
            $made = strtolower($f['name']) === '__construct' && $f['class'] !== null;
            $receiver = $f['class'] === null ? 'null' : ($f['static'] ? 'static::class' : '$this');
            $begins = "\$__whyhot=\\WhyhotCount::b($i,{$f['at']},$receiver," . ($made ? 'true' : 'false') . ',func_get_args());try{';
            $insert[$f['open'] + 1] = array_merge([$begins], $insert[$f['open'] + 1] ?? []);
            $insert[$f['close']][] = '}finally{\\WhyhotCount::e($__whyhot);}';
            foreach ($f['returns'] as $k) {
                $from = $after($k);
                if ($tokens[$from][1] === ';' || $tokens[$from][0] === T_CLOSE_TAG) {
                    continue;
                }
                $to = $before($end($from, [])) + 1;
                // What is included in a return begins and ends within it.
                $insert[$k + 1] = array_merge([' $__whyhot->r=('], $insert[$k + 1] ?? []);
                $insert[$to][] = ')';
            }
        }
        $out = '';
        foreach ($tokens as $k => $token) {
            if (isset($insert[$k])) {
                $out .= implode('', $insert[$k]);
            }
            $out .= $token[1];
        }
        return $out;
    }

    /** Which of the wanted functions one is: that of its full name, else of the last part. */
    private static function wantedAs($f, $functions, $wanted)
    {
        foreach ($wanted as $i) {
            $t = self::$tallies[$i];
            if ($t['name'] === $f['full'] && (!$t['line'] || $t['line'] === $f['line'])) {
                return $i;
            }
        }
        foreach ($wanted as $i) {
            $t = self::$tallies[$i];
            $exact = array_filter($functions, function ($g) use ($t) { return $g['full'] === $t['name']; });
            // A method of a trait has the name of the class that uses it.
            if (!$exact && preg_replace('/^.*(?:::|\\\\)/', '', $t['name']) === $f['name'] && (!$t['line'] || $t['line'] === $f['line'])) {
                return $i;
            }
        }
        return null;
    }
}

final class WhyhotCall
{
    public $i;
    public $made;
    public $arguments;
    public $passed = [];
    public $r = null;
    public $number = 0;
    public $from = 0;
}

/** A call that is not looked at: keeps nothing of what it gives. */
final class WhyhotUnseen
{
    public function __set($name, $value)
    {
    }
}

if (WhyhotCount::start()) {
    require WhyhotCount::a(WhyhotCount::script(), '', false);
    exit;
}
