# Counts words: linear.
BEGIN {
    n = ARGV[1]
    x = 1
    for (i = 0; i < n; i++) {
        x = (x * 69069 + 1) % 2147483648
        count["w" int(x / 4096)]++
    }
    for (w in count) total += count[w]
    print total, length(count)
}
