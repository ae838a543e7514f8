// Pairs of libraries. Run with the name of one side and a file where it says so;
// run.py compares the CPU times of both.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <boost/property_tree/json_parser.hpp>
#include <fftw3.h>
#include <hs/hs.h>
#include <jansson.h>
#include <json/json.h>
#include <kissfft/kiss_fft.h>
#include <libdeflate.h>
#include <libxml/parser.h>
#include <lz4.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <png.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pugixml.hpp>
#include <rapidjson/document.h>
#include <re2/re2.h>
#include <re2/set.h>
#include <simdjson.h>
#include <snappy.h>
#include <sqlite3.h>
#include <yaml-cpp/yaml.h>
#include <zlib.h>
#include <zstd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>

namespace {

unsigned random_state = 1;
unsigned next_random() { return random_state = random_state * 1664525U + 1013904223U; }

std::string whole(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::vector<std::string> lines(const std::string& name) {
  std::vector<std::string> out;
  std::ifstream in(name);
  for (std::string l; std::getline(in, l);) out.push_back(l);
  return out;
}

// A map from integers: filled, then asked twice as often as it answers.
template <typename M>
long map_of() {
  M m;
  long n = 0;
  for (int i = 0; i < 600000; i++) m[next_random() % 1000000] += i;
  for (int i = 0; i < 5000000; i++) {
    auto it = m.find(next_random() % 2000000);
    if (it != m.end()) n += it->second;
  }
  return n;
}

long count_std_regex(const std::vector<std::string>& in) {
  std::regex re("([a-z]+)gamma,([0-9]+)\\.([0-9]+)");
  long n = 0;
  for (const auto& l : in) {
    std::smatch m;
    n += std::regex_search(l, m, re);
  }
  return n;
}

long count_re2(const std::vector<std::string>& in) {
  RE2 re("([a-z]+)gamma,([0-9]+)\\.([0-9]+)");
  long n = 0;
  re2::StringPiece a, b, c;
  for (const auto& l : in) n += RE2::PartialMatch(l, re, &a, &b, &c);
  return n;
}

long count_pcre(const std::vector<std::string>& in, bool jit) {
  int err;
  PCRE2_SIZE at;
  auto* re = pcre2_compile(reinterpret_cast<PCRE2_SPTR>("([a-z]+)gamma,([0-9]+)\\.([0-9]+)"), PCRE2_ZERO_TERMINATED, 0, &err, &at, nullptr);
  if (jit) pcre2_jit_compile(re, PCRE2_JIT_COMPLETE);
  auto* data = pcre2_match_data_create_from_pattern(re, nullptr);
  long n = 0;
  for (const auto& l : in) n += pcre2_match(re, reinterpret_cast<PCRE2_SPTR>(l.data()), l.size(), 0, 0, data, nullptr) > 0;
  return n;
}

long json_sum(const simdjson::dom::array& all) {
  long n = 0;
  for (simdjson::dom::element e : all) n += static_cast<long>(int64_t(e["id"]));
  return n;
}

long parse_simdjson(const std::string& text) {
  simdjson::dom::parser parser;
  return json_sum(parser.parse(text));
}

long parse_ptree(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree all;
  boost::property_tree::read_json(in, all);
  long n = 0;
  for (const auto& e : all) n += e.second.get<long>("id");
  return n;
}

long parse_nlohmann(const std::string& text) {
  auto all = nlohmann::json::parse(text);
  long n = 0;
  for (const auto& e : all) n += e["id"].get<long>();
  return n;
}

long parse_rapid(const std::string& text) {
  rapidjson::Document all;
  all.Parse(text.c_str());
  long n = 0;
  for (const auto& e : all.GetArray()) n += e["id"].GetInt64();
  return n;
}

long parse_jansson(const std::string& text) {
  json_t* all = json_loadb(text.data(), text.size(), 0, nullptr);
  long n = 0;
  for (size_t i = 0; i < json_array_size(all); i++) n += json_integer_value(json_object_get(json_array_get(all, i), "id"));
  json_decref(all);
  return n;
}

long parse_jsoncpp(const std::string& text) {
  Json::Value all;
  std::unique_ptr<Json::CharReader> r(Json::CharReaderBuilder().newCharReader());
  r->parse(text.data(), text.data() + text.size(), &all, nullptr);
  long n = 0;
  for (const auto& e : all) n += e["id"].asInt64();
  return n;
}

long parse_libxml(const std::string& text) {
  xmlDocPtr doc = xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, XML_PARSE_HUGE);
  long n = 0;
  for (auto* e = xmlDocGetRootElement(doc)->children; e != nullptr; e = e->next) {
    xmlChar* v = xmlGetProp(e, reinterpret_cast<const xmlChar*>("id"));
    n += atol(reinterpret_cast<char*>(v));
    xmlFree(v);
  }
  xmlFreeDoc(doc);
  return n;
}

long parse_pugi(const std::string& text) {
  pugi::xml_document doc;
  doc.load_buffer(text.data(), text.size());
  long n = 0;
  for (auto e : doc.first_child().children()) n += e.attribute("id").as_int();
  return n;
}

long deflate_zlib(const std::string& text, int level) {
  std::string out(compressBound(text.size()), 0);
  uLongf n = out.size();
  compress2(reinterpret_cast<Bytef*>(out.data()), &n, reinterpret_cast<const Bytef*>(text.data()), text.size(), level);
  std::string back(text.size(), 0);
  uLongf m = back.size();
  for (int i = 0; i < 3; i++) uncompress(reinterpret_cast<Bytef*>(back.data()), &m, reinterpret_cast<const Bytef*>(out.data()), n);
  return static_cast<long>(n);
}

long deflate_libdeflate(const std::string& text) {
  auto* c = libdeflate_alloc_compressor(6);
  auto* d = libdeflate_alloc_decompressor();
  std::string out(libdeflate_zlib_compress_bound(c, text.size()), 0), back(text.size(), 0);
  size_t n = libdeflate_zlib_compress(c, text.data(), text.size(), out.data(), out.size());
  for (int i = 0; i < 3; i++) libdeflate_zlib_decompress(d, out.data(), n, back.data(), back.size(), nullptr);
  return static_cast<long>(n);
}

long squeeze_snappy(const std::string& text) {
  std::string out, back;
  for (int i = 0; i < 25; i++) {
    snappy::Compress(text.data(), text.size(), &out);
    snappy::Uncompress(out.data(), out.size(), &back);
  }
  return static_cast<long>(out.size());
}

long squeeze_lz4(const std::string& text) {
  std::string out(LZ4_compressBound(static_cast<int>(text.size())), 0), back(text.size(), 0);
  int n = 0;
  for (int i = 0; i < 25; i++) {
    n = LZ4_compress_default(text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()));
    LZ4_decompress_safe(out.data(), back.data(), n, static_cast<int>(back.size()));
  }
  return n;
}

long squeeze_zstd(const std::string& text, int level) {
  std::string out(ZSTD_compressBound(text.size()), 0);
  return static_cast<long>(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level));
}

long hash_packets(uint64_t (*hash)(const unsigned char*, size_t)) {
  std::vector<unsigned char> b(1500);
  for (auto& c : b) c = static_cast<unsigned char>(next_random() >> 24);
  uint64_t n = 0;
  for (int i = 0; i < 700000; i++) {
    b[0] = static_cast<unsigned char>(i);
    n += hash(b.data(), b.size());
  }
  return static_cast<long>(n);
}

uint64_t xxh3(const unsigned char* p, size_t n) { return XXH3_64bits(p, n); }

long fft(bool fast) {
  const int size = 4096;
  std::vector<float> re(2 * size), out(2 * size);
  for (auto& v : re) v = static_cast<float>(next_random() % 1000);
  if (fast) {
    auto* p = fftwf_plan_dft_1d(size, reinterpret_cast<fftwf_complex*>(re.data()), reinterpret_cast<fftwf_complex*>(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < 10000; i++) fftwf_execute(p);
  } else {
    auto* c = kiss_fft_alloc(size, 0, nullptr, nullptr);
    for (int i = 0; i < 10000; i++) kiss_fft(c, reinterpret_cast<kiss_fft_cpx*>(re.data()), reinterpret_cast<kiss_fft_cpx*>(out.data()));
  }
  return static_cast<long>(out[5]);
}

std::vector<std::string> patterns() {
  std::vector<std::string> out;
  for (int i = 0; i < 60; i++) out.push_back("key" + std::to_string(i * 37) + "[a-z]*=[0-9]+");
  return out;
}

long many_re2(const std::vector<std::string>& in) {
  RE2::Options options;
  RE2::Set set(options, RE2::UNANCHORED);
  for (const auto& p : patterns()) set.Add(p, nullptr);
  set.Compile();
  long n = 0;
  std::vector<int> hits;
  for (int r = 0; r < 8; r++)
    for (const auto& l : in) {
      set.Match(l, &hits);
      n += static_cast<long>(hits.size());
    }
  return n;
}

long many_hs(const std::vector<std::string>& in) {
  auto all = patterns();
  std::vector<const char*> text;
  std::vector<unsigned> flags, ids;
  for (size_t i = 0; i < all.size(); i++) {
    text.push_back(all[i].c_str());
    flags.push_back(HS_FLAG_SINGLEMATCH);
    ids.push_back(static_cast<unsigned>(i));
  }
  hs_database_t* db = nullptr;
  hs_compile_error_t* err = nullptr;
  hs_scratch_t* scratch = nullptr;
  if (hs_compile_multi(text.data(), flags.data(), ids.data(), static_cast<unsigned>(all.size()), HS_MODE_BLOCK, nullptr, &db, &err) != HS_SUCCESS) return -1;
  hs_alloc_scratch(db, &scratch);
  long n = 0;
  auto hit = [](unsigned, unsigned long long, unsigned long long, unsigned, void* ctx) {
    ++*static_cast<long*>(ctx);
    return 0;
  };
  for (int r = 0; r < 8; r++)
    for (const auto& l : in) hs_scan(db, l.data(), static_cast<unsigned>(l.size()), 0, scratch, hit, &n);
  return n;
}

long digests(bool fetched) {
  auto* ctx = EVP_MD_CTX_new();
  auto* kept = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  unsigned char text[32] = {}, out[64];
  long n = 0;
  for (int i = 0; i < 600000; i++) {
    text[0] = static_cast<unsigned char>(i);
    EVP_DigestInit_ex(ctx, fetched ? kept : EVP_get_digestbyname("SHA256"), nullptr);
    EVP_DigestUpdate(ctx, text, sizeof text);
    unsigned size = 0;
    EVP_DigestFinal_ex(ctx, out, &size);
    n += out[0];
  }
  return n;
}

long rows(bool prepared) {
  sqlite3* db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "create table t(id integer primary key, name text, score real); create index i on t(name)", nullptr, nullptr, nullptr);
  sqlite3_exec(db, "begin", nullptr, nullptr, nullptr);
  for (int i = 0; i < 20000; i++) sqlite3_exec(db, ("insert into t values(" + std::to_string(i) + ", 'user" + std::to_string(i) + "', 1.5)").c_str(), nullptr, nullptr, nullptr);
  sqlite3_exec(db, "commit", nullptr, nullptr, nullptr);
  long n = 0;
  sqlite3_stmt* kept;
  sqlite3_prepare_v2(db, "select t.score, u.id from t join t u on u.id = t.id + 1 where t.id = ? and t.score > 1", -1, &kept, nullptr);
  for (int i = 0; i < 100000; i++) {
    if (prepared) {
      sqlite3_bind_int(kept, 1, i % 20000);
      while (sqlite3_step(kept) == SQLITE_ROW) n += sqlite3_column_int(kept, 1);
      sqlite3_reset(kept);
    } else {
      sqlite3_stmt* s;
      sqlite3_prepare_v2(db, ("select t.score, u.id from t join t u on u.id = t.id + 1 where t.id = " + std::to_string(i % 20000) + " and t.score > 1").c_str(), -1, &s, nullptr);
      while (sqlite3_step(s) == SQLITE_ROW) n += sqlite3_column_int(s, 1);
      sqlite3_finalize(s);
    }
  }
  return n;
}

long cache(int pages) {
  remove("/dev/shm/whyhot-pair.db");
  sqlite3* db;
  sqlite3_open("/dev/shm/whyhot-pair.db", &db);
  sqlite3_exec(db, ("pragma synchronous=off; pragma journal_mode=off; pragma cache_size=" + std::to_string(pages) + "; create table t(id integer primary key, name text); begin").c_str(), nullptr, nullptr, nullptr);
  sqlite3_stmt* s;
  sqlite3_prepare_v2(db, "insert into t values(?, hex(randomblob(100)))", -1, &s, nullptr);
  for (int i = 0; i < 60000; i++) {
    sqlite3_bind_int(s, 1, i);
    sqlite3_step(s);
    sqlite3_reset(s);
  }
  sqlite3_exec(db, "commit", nullptr, nullptr, nullptr);
  long n = 0;
  sqlite3_prepare_v2(db, "select length(name) from t where id = ?", -1, &s, nullptr);
  for (int i = 0; i < 300000; i++) {
    sqlite3_bind_int(s, 1, static_cast<int>(next_random() % 60000));
    while (sqlite3_step(s) == SQLITE_ROW) n += sqlite3_column_int(s, 0);
    sqlite3_reset(s);
  }
  remove("/dev/shm/whyhot-pair.db");
  return n;
}

long picture(int level, int filters) {
  const int w = 1200, h = 900;
  std::vector<unsigned char> pixels(w * h * 3);
  for (int i = 0; i < w * h * 3; i++) pixels[i] = static_cast<unsigned char>((i / 7 + (next_random() >> 29)) & 255);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  static size_t size;
  png_set_write_fn(png, nullptr, [](png_structp, png_bytep, png_size_t n) { size += n; }, [](png_structp) {});
  png_set_IHDR(png, info, w, h, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, level);
  png_set_filter(png, 0, filters);
  png_write_info(png, info);
  for (int y = 0; y < h; y++) png_write_row(png, pixels.data() + static_cast<size_t>(y) * w * 3);
  png_write_end(png, info);
  return static_cast<long>(size);
}

long yaml(const std::string& text) {
  long n = 0;
  for (const auto& e : YAML::Load(text)) n += e["id"].as<long>();
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  std::string side = argc > 1 ? argv[1] : "", file = argc > 2 ? argv[2] : "";
  std::map<std::string, std::function<long()>> sides = {
      {"unordered_map", map_of<std::unordered_map<uint64_t, int>>},
      {"flat_hash_map", map_of<absl::flat_hash_map<uint64_t, int>>},
      {"map", map_of<std::map<uint64_t, int>>},
      {"btree_map", map_of<absl::btree_map<uint64_t, int>>},
      {"std-regex", [&] { return count_std_regex(lines(file)); }},
      {"re2", [&] { return count_re2(lines(file)); }},
      {"pcre2", [&] { return count_pcre(lines(file), false); }},
      {"pcre2-jit", [&] { return count_pcre(lines(file), true); }},
      {"simdjson", [&] { return parse_simdjson(whole(file)); }},
      {"nlohmann", [&] { return parse_nlohmann(whole(file)); }},
      {"rapidjson", [&] { return parse_rapid(whole(file)); }},
      {"ptree", [&] { return parse_ptree(whole(file)); }},
      {"jansson", [&] { return parse_jansson(whole(file)); }},
      {"jsoncpp", [&] { return parse_jsoncpp(whole(file)); }},
      {"libxml2", [&] { return parse_libxml(whole(file)); }},
      {"pugixml", [&] { return parse_pugi(whole(file)); }},
      {"zlib", [&] { return deflate_zlib(whole(file), 6); }},
      {"zlib-9", [&] { return deflate_zlib(whole(file), 9); }},
      {"libdeflate", [&] { return deflate_libdeflate(whole(file)); }},
      {"snappy", [&] { return squeeze_snappy(whole(file)); }},
      {"lz4", [&] { return squeeze_lz4(whole(file)); }},
      {"zstd-19", [&] { return squeeze_zstd(whole(file).substr(0, 1500000), 19); }},
      {"zstd-3", [&] { return squeeze_zstd(whole(file).substr(0, 1500000), 3); }},
      {"xxh3", [] { return hash_packets(xxh3); }},
      {"kissfft", [] { return fft(false); }},
      {"fftw", [] { return fft(true); }},
      {"re2-set", [&] { return many_re2(lines(file)); }},
      {"vectorscan", [&] { return many_hs(lines(file)); }},
      {"digest-by-name", [] { return digests(false); }},
      {"digest-fetched", [] { return digests(true); }},
      {"sqlite-exec", [] { return rows(false); }},
      {"sqlite-prepared", [] { return rows(true); }},
      {"sqlite-cache-small", [] { return cache(50); }},
      {"sqlite-cache", [] { return cache(20000); }},
      {"png-all-filters", [] { return picture(6, PNG_ALL_FILTERS); }},
      {"png-sub", [] { return picture(6, PNG_FILTER_SUB); }},
      {"yaml-cpp", [&] { return yaml(whole(file)); }},
  };
  auto it = sides.find(side);
  if (it == sides.end()) {
    for (const auto& s : sides) fprintf(stderr, "%s\n", s.first.c_str());
    return 2;
  }
  long n = 0;
  for (int i = argc > 3 ? atoi(argv[3]) : 1; i > 0; i--) n += it->second();
  printf("%ld\n", n);
}
