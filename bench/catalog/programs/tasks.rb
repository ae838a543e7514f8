# Small programs around the habits of pairs.rb, with other data: ruby tasks.rb SIDE [TIMES].
require "date"
require "time"
require "erb"

REQUESTS = Array.new(12_000) { |i| format("10.0.0.%d [%02d/Mar/2026 %02d:%02d:%02d] GET /item%d", i % 256, 1 + i % 28, i % 24, i % 60, i * 7 % 60, i * 31 % 977) }
ORDERS = Array.new(900) { |i| { id: i, name: "Größe & Söhne #{i % 41}", lines: Array.new(1 + i % 6) { |k| ["A-#{(i * 31 + k) % 977}", 1 + k % 4, 199 + i * 7919 % 20_000] } } }
MAIL = "<h1>Order <%= o[:id] %></h1><p>Dear <%= ERB::Util.h(o[:name]) %>,</p><table><% o[:lines].each do |l| %><tr><% l.each do |c| %><td><%= c %></td><% end %></tr><% end %></table><% if o[:lines].size > 4 %><p>A gift.</p><% end %>"

def hours
  n = Hash.new(0)
  REQUESTS.each { |r| t = yield(r[r.index("[") + 1, 20]); n[[t.wday, t.hour]] += 1 }
  n.size
end

SIDES = {
  "hours-parse" => -> { hours { |s| DateTime.parse(s) } },
  "hours-digits" => -> { hours { |s| Time.utc(s[7, 4].to_i, 3, s[0, 2].to_i, s[12, 2].to_i, s[15, 2].to_i, s[18, 2].to_i) } },
  "mails-each" => -> { ORDERS.sum { |o| ERB.new(MAIL).result_with_hash(o: o).size } },
  "mails-once" => -> { ERB.new(MAIL).def_method(Object, "mail(o)"); ORDERS.sum { |o| mail(o).size } },
}.freeze

side = SIDES[ARGV[0]] or abort(SIDES.keys.join("\n"))
puts Array.new((ARGV[1] || 1).to_i) { side.call }.sum
