-- Does what a user does in Neovim, and writes what is there to see.
local seen = { Diagnostics = {}, Actions = {} }
local patience = 120000 -- ms; how long it takes says nothing

local function fail(text)
  io.stderr:write(text .. '\n')
  vim.cmd('cquit 1')
end

local function wait(what, done)
  if not vim.wait(patience, done, 50) then fail('no ' .. what) end
end

wait('share and finding', function()
  local text = ''
  for _, d in ipairs(vim.diagnostic.get(0)) do text = text .. d.message end
  return text:find('of the CPU') and text:find('Byte%-wide stores')
end)
for _, d in ipairs(vim.diagnostic.get(0)) do
  table.insert(seen.Diagnostics, { Line = d.lnum, Text = d.message })
end

vim.api.nvim_win_set_cursor(0, { 7, 2 })
vim.lsp.buf.hover()
wait('hover', function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      seen.Hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n')
      return true
    end
  end
end)

-- The menu of code actions; the fix is chosen.
vim.ui.select = function(items, options, choose)
  local fix
  for _, item in ipairs(items) do
    local title = options.format_item(item)
    table.insert(seen.Actions, title)
    if title:find('write the fix') then fix = item end
  end
  if not fix then return fail('no fix: ' .. table.concat(seen.Actions, '\n')) end
  choose(fix)
end
vim.lsp.buf.code_action()
local before = vim.api.nvim_buf_get_changedtick(0)
wait('change of the text', function() return vim.api.nvim_buf_get_changedtick(0) ~= before end)
seen.Text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')

local file = assert(io.open(os.getenv('WHYHOT_TEST_SEEN'), 'w'))
file:write(vim.json.encode(seen))
file:close()
vim.cmd('qall!')
