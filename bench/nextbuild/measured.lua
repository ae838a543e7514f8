-- What is measured: objects with methods, trees, strings taken apart, matrices.
local Account = {}
Account.__index = Account
function Account.new(b) return setmetatable({ balance = b, log = {} }, Account) end
function Account:add(n) self.balance = self.balance + n; self.log[#self.log % 16 + 1] = n end
local total = 0
for i = 1, 12000 do
  local a = Account.new(i)
  for k = 1, 100 do a:add(k % 7) end
  total = total + a.balance
end
local function tree(d) if d == 0 then return {} end; return { tree(d - 1), tree(d - 1) } end
local function count(t) return t[1] and 1 + count(t[1]) + count(t[2]) or 1 end
local nodes = 0
for _ = 1, 24 do nodes = nodes + count(tree(13)) end
local line, fields = ("key=value; other=%d; path=/a/b/c?q=1"):rep(200, "&"), 0
for _ = 1, 80 do
  for k, v in line:gmatch("(%w+)=([^;&]*)") do fields = fields + #k + #v end
  line = line:gsub("%d", "2"):upper():lower()
end
local n, m = 150, {}
for i = 1, n do m[i] = {}; for j = 1, n do m[i][j] = (i * j) % 10 end end
local trace = 0
for i = 1, n do
  for j = 1, n do
    local s = 0
    for k = 1, n do s = s + m[i][k] * m[k][j] end
    if i == j then trace = trace + s end
  end
end
print(total, nodes, fields, trace)
