-- Parts are collected in a table and put together once.
local n = tonumber(arg[1])
local parts = {}
for i = 1, n do
  parts[#parts + 1] = string.format("%d = %s\n", i, i * 3)
end
print(#table.concat(parts))
