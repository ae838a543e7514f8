# Keeps what is not in another list, which is searched for each.
def missing(all, known)
  all.select { |x| !known.include?(x) } # GROWS
end

n = ARGV[0].to_i
known = (0...n).map { |i| "user#{i * 3}" }
all = (0...n).map { |i| "user#{i * 2}" }
puts missing(all, known).size
