-- What the profile is learned from: records made, sorted, joined, counted, and a sieve.
local rows = {}
local seed = 42
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n end
for i = 1, 60000 do rows[i] = { id = i, name = "user" .. random(5000), score = random(1000) } end
table.sort(rows, function(a, b) return a.score < b.score or a.score == b.score and a.id < b.id end)
local by = {}
for _, r in ipairs(rows) do
  local g = by[r.name]
  if not g then g = { n = 0, sum = 0 }; by[r.name] = g end
  g.n, g.sum = g.n + 1, g.sum + r.score
end
local parts = {}
for name, g in pairs(by) do parts[#parts + 1] = string.format("%s=%d/%d", name, g.sum, g.n) end
table.sort(parts)
local text = table.concat(parts, ",")
local words = 0
for w in text:gmatch("[^,]+") do if w:find("9", 1, true) then words = words + 1 end end
local sieve, primes = {}, 0
for i = 2, 400000 do
  if not sieve[i] then primes = primes + 1; for k = i * i, 400000, i do sieve[k] = true end end
end
print(#text, words, primes)
