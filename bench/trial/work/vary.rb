n, wrong, burn = ARGV.map(&:to_i)
(burn * 200_000).times {}
class Item; def initialize(v) = @v = v; end
n.times { |i| puts Item.new(i * i + (i == 7 ? wrong : 0)).inspect }
puts "took #{Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID).round(1)} s"
