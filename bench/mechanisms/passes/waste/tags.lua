local function tag_of(tags, name)
  for i = 1, #tags do
    if tags[i].name == name then  -- WASTE
      return tags[i]
    end
  end
end

local tags = {}
for i = 1, 1500 do tags[i] = { name = "tag" .. (i * 7919 % 99991), hits = 0 } end
local words = {}
for i = 1, 60000 do words[i] = tags[i * 31 % 1500 + 1].name end

for _, word in ipairs(words) do
  local tag = tag_of(tags, word)
  tag.hits = tag.hits + 1
end
local most = 0
for _, tag in ipairs(tags) do most = math.max(most, tag.hits) end
print(most)
