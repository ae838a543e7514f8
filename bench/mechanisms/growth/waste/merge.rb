# Settings are merged for each key.
def fold(n)
  (0...n).reduce({}) do |all, i|
    all.merge("key#{i}" => i) # WASTE
  end
end
puts fold(ARGV[0].to_i).size
