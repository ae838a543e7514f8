// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <vector>

static std::vector<long> items;
static std::vector<std::string> names;
static std::list<long> linked;
static std::string text;
static std::map<long, long> other;
static volatile long sink;

__attribute__((noinline)) static void work(long i) { other[i % 64] += i % 7; }

__attribute__((noinline)) static void erase(long i) {
	items.push_back(i);
	items.erase(items.begin()); // WASTE erase
}
__attribute__((noinline)) static void insert(long i) {
	items.insert(items.begin(), i); // WASTE insert
	items.pop_back();
}
__attribute__((noinline)) static void find(long i) {
	sink += std::find(items.begin(), items.end(), -i - 1) == items.end(); // WASTE find
}
__attribute__((noinline)) static void member(long i) {
	sink += std::count(names.begin(), names.end(), "none " + std::to_string(i)); // WASTE member
}
__attribute__((noinline)) static void copy(long i) {
	std::vector<long> all = items; // WASTE copy
	all[0] = i;
	sink += all[1];
}
__attribute__((noinline)) static void plus(long i) {
	std::string grown = text + char('a' + i % 7); // WASTE plus
	sink += grown[1];
}
__attribute__((noinline)) static void rest(long i) {
	sink += text.substr(1)[0] + i; // WASTE rest
}
__attribute__((noinline)) static void front(long i) {
	text.insert(0, "a"); // WASTE front
	text.pop_back();
	sink += i;
}
__attribute__((noinline)) static void behead(long i) {
	text += "a";
	text.erase(0, 1); // WASTE behead
	sink += i;
}
__attribute__((noinline)) static void nth(long i) {
	sink += *std::next(linked.begin(), (long)linked.size() / 2) + i; // WASTE nth
}
__attribute__((noinline)) static void search(long i) {
	sink += text.find("qq") + i; // WASTE search
}

int main(int argc, char **argv) {
	if (argc < 4)
		return 2;
	long length = atol(argv[2]), rounds = atol(argv[3]);
	for (long i = 0; i < length; i++) {
		items.push_back(i), linked.push_back(i), text += char('a' + i % 7);
		if (i < 100000)
			names.push_back("a longer name " + std::to_string(i));
	}
	const std::map<std::string, void (*)(long)> ops = {{"erase", erase}, {"insert", insert}, {"find", find},   {"member", member},
	                                                   {"copy", copy},   {"plus", plus},     {"rest", rest},   {"front", front},
	                                                   {"behead", behead}, {"nth", nth},     {"search", search}};
	auto run = ops.at(argv[1]);
	for (long i = 0; i < rounds; i++)
		run(i), work(i);
}
