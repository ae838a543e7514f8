-- A dump is put together with .. in a loop.
local n = tonumber(arg[1])
local out = ""
for i = 1, n do
  out = out .. string.format("%d = %s\n", i, i * 3) -- WASTE
end
print(#out)
