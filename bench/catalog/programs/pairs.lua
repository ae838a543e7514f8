-- What Lua programs do, for lua5.4 and luajit: lua pairs.lua.
local n, t = 0, {}
for i = 1, 8000000 do n = n + (i % 7 == 0 and i % 4 or (i * 3) % 11) end
for i = 1, 200000 do t["user" .. i] = i end
for i = 1, 1000000 do n = n + (t["user" .. i % 5000] or 0) end
print(n)
