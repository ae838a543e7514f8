# Options with defaults for each request.
DEFAULTS = { retries: 3, to: "", verbose: false }.freeze
def request(options)
  o = DEFAULTS.merge(options)
  parts = [o[:to], o[:retries].to_s] + %w[a b]
  parts.map(&:upcase).join("-").size
end
sum = 0
ARGV[0].to_i.times { |i| sum += request(to: "host#{i}") }
puts sum
