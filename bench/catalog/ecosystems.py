"""Pairs on libraries of Go, Java and C++ beyond those of pairs.py: their programs are
programs/go-libraries, programs/java-libraries and programs/habits.cpp."""
import os
import re

from pairs import Pair, Side, debian, output


def golang(w):
    version = output("go", "env", "GOVERSION").strip().replace("go", "Go ")
    program = w.built("go-libraries")
    with open(os.path.join(w.programs, "go-libraries/go.mod")) as f:
        modules = dict(re.findall(r"^\s(\S+) (v\S+)", f.read(), re.M))

    def of(path):
        return path.split("/", 1)[-1] + " " + modules[path]

    for entry, workload, a, b, what_a, what_b, times in (
            ("go-yaegi", "primes below 60 000", "yaegi", "compiled", of("github.com/traefik/yaegi"), version, 3),
            ("go-otto", "fib(21) in JavaScript", "otto", "goja", of("github.com/robertkrimen/otto"), of("github.com/dop251/goja"), 3),
            ("go-expression-compile", "4000 evaluations", "expr-each", "expr-once", of("github.com/expr-lang/expr") + ", compiled for each", "compiled once", 3),
            ("go-compressor-per-message", "3000 messages of 300 bytes", "gzip-each", "gzip-reset", f"gzip.NewWriter each time, {version}", "Reset", 1),
            ("go-rand-seed", "60 000 numbers", "seed-each", "seed-once", f"rand.NewSource each time, {version}", "once", 1),
            ("go-tls-handshakes", "300 requests", "client-each", "client-kept", f"a client for each, {version}", "one client", 1),
            ("go-image-at", "inverting 1200 × 900", "image-at", "image-pix", f"At and Set, {version}", "Pix", 4),
            ("go-stack-traces", "200 000 lines of a log", "log-caller", "log-plain", f"log.Lshortfile, {version}", "without", 2),
            ("go-unbuffered-output", "300 000 lines to /dev/null", "print-direct", "print-buffered", f"os.File, {version}", "bufio.Writer", 2),
            ("go-xml", "60 000 elements", "xml", "xml-raw", f"Token, {version}", "RawToken", 3),
            ("go-deep-equal", "400 records, 40 times", "deep-equal", "fields-compared", f"reflect.DeepEqual, {version}", "fields", 6),
            ("go-deep-copy", "60 000 records", "copier", "assigned", of("github.com/jinzhu/copier"), "assignments", 2),
            ("go-excelize-cells", "4000 rows of 8 cells", "sheet-cells", "sheet-stream", of("github.com/xuri/excelize/v2") + ", SetCellValue", "StreamWriter", 2),
            ("go-bolt-transactions", "20 000 puts, not synced", "bolt-each", "bolt-batches", of("go.etcd.io/bbolt") + ", a transaction each", "a thousand puts each", 1),
            ("go-decimal", "300 000 prices", "decimal", "cents", of("github.com/shopspring/decimal"), "int64 of cents", 2),
            ("go-gorilla-mux", "20 000 requests, 80 routes", "mux-gorilla", "mux-http", of("github.com/gorilla/mux"), f"http.ServeMux of {version}", 2),
            ("go-viper", "300 000 look-ups", "viper", "settings-kept", of("github.com/spf13/viper"), "a struct", 2),
            ("go-validator-per-call", "1500 records", "validator-each", "validator-once", of("github.com/go-playground/validator/v10") + ", made for each", "made once", 3),
            ("yaml-between-programs", "3000 records in Go, in and out", "yaml", "json", of("gopkg.in/yaml.v3"), f"encoding/json of {version}", 4),
            ("password-hash", "40 checks", "bcrypt-each", "token", of("golang.org/x/crypto") + ", bcrypt of cost 8", "an HMAC of a token", 1),
            ("telemetry-overhead", "120 000 spans in Go", "spans-all", "spans-sampled", of("go.opentelemetry.io/otel/sdk") + ", all exported one by one", "one in twenty, in batches", 1)):
        yield Pair(entry, workload, Side([program, a, str(times)], what_a), Side([program, b, str(times)], what_b))


def java(w):
    jars = os.path.join(w.base, "ecosystem-jars")
    jar = dict(re.findall(r"^(.*?)-(\d[\w.-]*)\.jar$", "\n".join(sorted(os.listdir(jars))), re.M))
    jdk = "OpenJDK " + re.search(r"version \"([^\"]+)\"", output("sh", "-c", "java -version 2>&1")).group(1)
    run = ["java", "-XX:+PreserveFramePointer", "-cp", w.built("ecosystem") + ":" + jars + "/*", "Sides"]

    def of(name):
        return f"{name} {jar[name]}"

    for entry, workload, a, b, what_a, what_b, times in (
            ("geometry-unprepared", "40 000 points in an area", "jts-contains", "jts-prepared", of("jts-core") + ", contains", "PreparedGeometry", 2),
            ("geometry-union-each", "250 circles", "jts-union-each", "jts-union-all", of("jts-core") + ", one after another", "UnaryUnionOp", 1),
            ("java-rhino-interpreted", "fib(25)", "rhino-interpreted", "rhino-compiled", of("rhino") + ", level -1", "level 9", 3),
            ("java-script-trees", "a loop of 100 000", "beanshell", "java", of("bsh"), "Java", 2),
            ("java-spel-interpreted", "2 million evaluations", "spel-interpreted", "spel-compiled", of("spring-expression"), "SpelCompilerMode.IMMEDIATE", 1),
            ("java-poi-tree", "8000 rows of 12 cells", "xssf", "sxssf", of("poi-ooxml") + ", XSSF", "SXSSF", 1),
            ("java-csv", "150 000 rows", "opencsv", "fastcsv", of("opencsv"), of("fastcsv"), 4),
            ("yaml-between-programs", "8000 records in Java, in and out", "snakeyaml", "jackson", of("snakeyaml"), of("jackson-databind"), 1),
            ("java-jsonpath-text", "2500 paths", "jsonpath-text", "jsonpath-parsed", of("json-path") + ", of text", "of the parsed document", 2),
            ("java-guava-cache", "4 million look-ups", "guava-cache", "caffeine", of("guava"), of("caffeine"), 1),
            ("java-reflection-equals", "1.5 million records", "reflection-equals", "fields-equals", of("commons-lang3") + ", by reflection", "fields", 1),
            ("blas-in-managed-code", "four products of 500 × 500", "commons-math", "ejml", of("commons-math3"), of("ejml-ddense"), 4),
            ("java-bigdecimal", "6 million prices", "bigdecimal", "cents", f"BigDecimal of {jdk}", "long of cents", 2),
            ("java-xpath-dom", "2500 nodes of a document", "xpath", "dom-walk", f"XPath for each, {jdk}", "getFirstChild", 1),
            ("java-dom", "250 documents of 100 kB", "dom", "stax", f"DOM of {jdk}", "StAX", 1),
            ("java-xstream", "20 000 objects", "xstream", "jackson-bytes", of("xstream"), of("jackson-databind"), 1),
            ("java-image-scaled-instance", "2400 × 1800 to 600 × 450", "scaled-instance", "bilinear", f"getScaledInstance of {jdk}", "bilinear, in two steps", 4),
            ("java-image-pixels", "six times 2400 × 1800", "get-rgb", "raster", f"getRGB and setRGB of {jdk}", "the array of the raster", 1),
            ("java-list-search", "12 000 names", "list-contains", "hash-set", f"ArrayList.contains of {jdk}", "HashSet", 4),
            ("java-list-search", "20 000 indexes", "linked-list", "array-list", f"LinkedList.get of {jdk}", "ArrayList", 2),
            ("java-println", "1.5 million lines", "println", "print-writer", f"System.out of {jdk}", "PrintWriter", 1),
            ("java-scanner", "600 000 numbers", "scanner", "read-line", f"Scanner of {jdk}", "BufferedReader", 1),
            ("java-hibernate-flush", "1500 queries, 2000 entities", "flush-auto", "flush-commit", of("hibernate-core") + ", FlushMode.AUTO", "FlushMode.COMMIT", 1),
            ("java-hibernate-query-text", "1500 queries", "hql-text", "hql-parameters", of("hibernate-core") + ", values in the text", "parameters", 1),
            ("java-sql-text", "60 000 look-ups", "statement", "prepared", of("h2") + ", a text each", "PreparedStatement", 1),
            ("java-debug-tracking", "40 000 chains", "reactor-debug", "reactor", of("reactor-core") + ", onOperatorDebug", "without", 1)):
        yield Pair(entry, workload, Side([*run, a, str(times)], what_a), Side([*run, b, str(times)], what_b))


def native(w):
    gcc = "GCC " + output("gcc", "-dumpfullversion").strip()
    boost, eigen = "Boost " + debian("libboost1.74-dev"), "Eigen " + debian("libeigen3-dev")
    plain, slow, wide = w.built("habits"), w.built("habits-O0"), w.built("habits-native")
    yield Pair("eigen-debug", "300 000 steps of a body", Side([slow, "vectors"], f"{eigen}, {gcc} -O0"), Side([plain, "vectors"], f"{gcc} -O2"))
    yield Pair("eigen-narrow-vectors", "products of 256 × 256", Side([plain, "matrices", "6"], f"{eigen}, {gcc} -O2"), Side([wide, "matrices", "6"], "-mavx2 -mfma"))
    for entry, workload, a, b, what_a, what_b, times in (
            ("boost-ublas", "a product of 220 × 220", "ublas", "eigen", boost + " uBLAS, asserts on", eigen, 3),
            ("boost-lexical-cast", "400 000 integers, in and out", "lexical-cast", "charconv", boost + " lexical_cast", f"std::to_chars, {gcc}", 3),
            ("boost-format", "150 000 lines", "boost-format", "snprintf", boost + " format", "snprintf", 2),
            ("boost-text-archive", "80 000 doubles, in and out", "text-archive", "binary-archive", boost + " text_oarchive", "binary_oarchive", 3),
            ("cpp-engine-per-call", "60 000 numbers", "engine-each", "engine-kept", f"random_device and mt19937 each time, {gcc}", "one engine", 1),
            ("cpp-endl", "400 000 lines to /dev/null", "endl", "newline", f"std::endl, {gcc}", "'\\n'", 1),
            ("thread-per-task", "8000 tasks", "async-each", "worker", f"std::async each, {gcc}", "one worker", 1),
            ("fftw-plan-per-call", "3000 of 1024 complex doubles", "plan-each", "plan-kept", "FFTW " + debian("libfftw3-dev") + ", a plan each", "one plan", 1)):
        yield Pair(entry, workload, Side([plain, a, str(times)], what_a), Side([plain, b, str(times)], what_b))


def pairs(w):
    yield from golang(w)
    yield from native(w)
    yield from java(w)
