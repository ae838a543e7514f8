# Folds settings into one hash with merge, which copies it each time.
def parsed(count)
  (0...count).map { |i| ["key#{i}", "value #{i}".sub("value", "v")] }
end

def fold(pairs)
  pairs.inject({}) do |all, (key, value)|
    all.merge(key => value) # GROWS
  end
end

pairs = parsed(ARGV[0].to_i)
puts fold(pairs).size
