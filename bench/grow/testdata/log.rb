# Appends in place and counts in a hash: linear.
n = ARGV[0].to_i
out = +""
counts = Hash.new(0)
n.times do |i|
  key = "host#{i * 7919 % 1009}"
  counts[key] += 1
  out << key << " " << i.to_s << "\n"
end
puts out.size, counts.size
