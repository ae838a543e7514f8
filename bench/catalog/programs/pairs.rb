# Pairs of Ruby libraries and habits: ruby pairs.rb SIDE [TIMES]. run.py compares
# the CPU times of two sides.
require "json"
require "date"
require "time"
require "erb"
require "set"

RECORDS = Array.new(4000) { |i| { "id" => i, "name" => "user#{i}", "score" => i * 1.37, "tags" => ["a", "b"], "nested" => { "x" => i } } }

def loops
  n = 0
  1_500_000.times { |i| n += i % 7 == 0 ? i & 3 : (i * 3) % 11 }
  n
end

def objects
  kept = Array.new(200_000) { |i| [i, i.to_s] }
  n = 0
  600_000.times { |i| n += [i, "x#{i}"].size }
  n + kept.size
end

SIDES = {
  "json" => -> { 8.times.sum { JSON.parse(JSON.generate(RECORDS)).size } },
  "oj" => -> { require "oj"; 8.times.sum { Oj.load(Oj.dump(RECORDS, mode: :compat), mode: :compat).size } },
  "loops" => -> { loops },
  "objects" => -> { objects },
  "date-parse" => -> { 40_000.times.sum { |i| DateTime.parse("2026-03-04 12:00:#{10 + i % 40}").sec } },
  "date-strptime" => -> { 40_000.times.sum { |i| DateTime.strptime("2026-03-04 12:00:#{10 + i % 40}", "%Y-%m-%d %H:%M:%S").sec } },
  "time-digits" => -> { 40_000.times.sum { |i| s = "2026-03-04 12:00:#{10 + i % 40}"; Time.utc(s[0, 4].to_i, s[5, 2].to_i, s[8, 2].to_i, s[11, 2].to_i, s[14, 2].to_i, s[17, 2].to_i).sec } },
  "erb-each" => -> { 2500.times.sum { |i| ERB.new("<ul><% 5.times do |k| %><li><%= k %> #{i}</li><% end %></ul>").result(binding).size } },
  "erb-once" => -> { t = ERB.new("<ul><% 5.times do |k| %><li><%= k %> <%= i %></li><% end %></ul>"); eval("def page(i)\n#{t.src}\nend"); 2500.times.sum { |i| page(i).size } },
  "include-array" => -> { k = Array.new(1500) { |i| "user#{i}" }; 3000.times.sum { |i| k.include?("user#{i}") ? 1 : 0 } },
  "include-set" => -> { k = Array.new(1500) { |i| "user#{i}" }.to_set; 3000.times.sum { |i| k.include?("user#{i}") ? 1 : 0 } },
}.freeze

side = SIDES[ARGV[0]] or abort(SIDES.keys.join("\n"))
puts Array.new((ARGV[1] || 1).to_i) { side.call }.sum
