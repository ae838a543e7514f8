# Each document is another one.
require "json"
require "time"
docs = (0...2000).map { |i| JSON.generate({ id: i, at: Time.at(i * 86_400).iso8601, l: (0..20).to_a }) }
n = 0
40.times { docs.each { |d| o = JSON.parse(d); n += Time.parse(o["at"]).yday + o["l"].sum } }
puts n
