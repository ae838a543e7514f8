// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
var items = mutableListOf<Int>()
var frozen = listOf<Int>()
var table = mapOf<Int, Int>()
var text = ""
val other = HashMap<Int, Int>()
var sink = 0L

fun work(i: Int) { other[i % 64] = (other[i % 64] ?: 0) + i % 7 }
fun plus(i: Int) {
    sink += (frozen + i).size // WASTE plus
}
fun mapped(i: Int) {
    sink += (table + (i to 1)).size // WASTE mapped
}
fun member(i: Int) {
    if (-i - 1 in frozen) sink++ // WASTE member
}
fun first(i: Int) {
    if (frozen.firstOrNull { it == -i - 1 } != null) sink++ // WASTE first
}
fun shift(i: Int) {
    items.add(i)
    items.removeAt(0) // WASTE shift
}
fun drop(i: Int) {
    sink += frozen.drop(1).size // WASTE drop
}
fun sorted(i: Int) {
    sink += frozen.sortedDescending()[0] // WASTE sorted
}
fun string(i: Int) {
    val grown = text + i // WASTE string
    sink += grown.length
}
fun main(args: Array<String>) {
    val n = args[1].toInt()
    for (i in 0 until n) items.add(i * 3)
    frozen = items.toList()
    table = frozen.associateWith { it }
    text = "x".repeat(n)
    val run: (Int) -> Unit = when (args[0]) {
        "plus" -> ::plus
        "mapped" -> ::mapped
        "member" -> ::member
        "first" -> ::first
        "shift" -> ::shift
        "drop" -> ::drop
        "sorted" -> ::sorted
        else -> ::string
    }
    for (i in 0 until args[2].toInt()) { run(i); work(i) }
    println(sink)
}
