-- OP LENGTH ROUNDS: an operation on a container of that length, once a round.
local op, length, rounds = arg[1], tonumber(arg[2]), tonumber(arg[3])
local list = {}
for i = 1, length do list[i] = i * 7 end
local text = string.rep("x", length)
local other = {}

local function work(i) other[i % 64] = (other[i % 64] or 0) + i % 7 end

local ops = {
  front = function(i)
    table.insert(list, 1, i) -- WASTE front
    list[#list] = nil
  end,
  shift = function(i)
    list[#list + 1] = i
    return table.remove(list, 1) -- WASTE shift
  end,
  join = function(i)
    local grown = text .. (i % 10) -- WASTE join
    return #grown
  end,
  unpacked = function(i)
    local copy = table.pack(table.unpack(list)) -- WASTE unpacked
    return copy[1]
  end,
  concat = function(i)
    return #table.concat(list, ",") -- WASTE concat
  end,
  find = function(i)
    return string.find(text, "y", 1, true) -- WASTE find
  end,
  sub = function(i)
    return #text:sub(2) -- WASTE sub
  end,
}

local run = ops[op]
local function all()
  for i = 1, rounds do
    run(i)
    work(i)
  end
end
all()
