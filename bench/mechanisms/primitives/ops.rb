# OP LENGTH ROUNDS: an operation on a container of that length, once a round.
LENGTH = ARGV[1].to_i
ITEMS = (0...LENGTH).to_a
TEXT = "x" * LENGTH
WIDE = "ü" * LENGTH
TABLE = ITEMS.to_h { |i| [i, 0] }
OTHER = {}

def work(i)
  OTHER[i % 64] = (OTHER[i % 64] || 0) + i % 7
end

def member(i)
  ITEMS.include?(-i - 1) # WASTE member
end

def index(i)
  ITEMS.index(-i - 1) # WASTE index
end

def front(i)
  ITEMS.insert(1, i) # WASTE front
  ITEMS.pop
end

def delete(i)
  ITEMS << i
  ITEMS.delete_at(0) # WASTE delete
end

def plus(i)
  (ITEMS + [i]).size # WASTE plus
end

def spread(i)
  [*ITEMS, i].size # WASTE spread
end

def merged(i)
  TABLE.merge(i => 1).size # WASTE merged
end

def string(i)
  (TEXT + i.to_s).size # WASTE string
end

def wide(i)
  WIDE[LENGTH - 2] # WASTE wide
end

def find(i)
  ITEMS.find { |v| v == -i - 1 } # WASTE find
end

def minus(i)
  (ITEMS - [i]).size # WASTE minus
end

def uniq(i)
  ITEMS.uniq.size # WASTE uniq
end

def largest(i)
  ITEMS.max # WASTE largest
end

def copied(i)
  ITEMS.dup.push(i).size # WASTE copied
end

def main
  run = method(ARGV[0])
  ARGV[2].to_i.times do |i|
    run.call(i)
    work(i)
  end
end

main
