# Lines are added with +.
def lines(n)
  all = []
  n.times do |i|
    all = all + ["line #{i}"] # WASTE
  end
  all
end
puts lines(ARGV[0].to_i).size
