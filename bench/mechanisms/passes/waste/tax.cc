#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Item { std::string region; double amount; };

static std::map<std::string, double> readRates(const std::string& text) {
  std::map<std::string, double> rates;
  std::istringstream in(text);
  std::string name;
  double rate;
  while (in >> name >> rate) rates[name] = rate;
  return rates;
}

static double total(const std::vector<Item>& items, const std::string& text) {
  double sum = 0;
  for (const auto& item : items) {
    auto rates = readRates(text);  // WASTE
    auto at = rates.find(item.region);
    if (at != rates.end()) sum += item.amount * at->second;
  }
  return sum;
}

int main() {
  std::string text;
  for (int i = 0; i < 200; i++) text += "r" + std::to_string(i) + " 0." + std::to_string(i + 10) + "\n";
  std::vector<Item> items;
  for (int i = 0; i < 40000; i++) items.push_back({"r" + std::to_string(i * 7 % 200), i % 50 + 0.5});
  std::printf("%.3f\n", total(items, text));
}
