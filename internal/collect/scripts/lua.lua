-- Announces this process to the recording, and then runs what LUA_INIT would have run.
local dir, wanted = %q, {%s}
local version = _VERSION:match("%%d+%%.%%d+")
if not jit then
	-- A script's errors, globals and loaded modules are as they would be without this file:
	-- nothing of it stays but, in 5.1, a coroutine by which the state is found.
	local thread = coroutine.running()
	if not thread then
		thread = coroutine.create(function() end)
		debug.getregistry()[thread] = true
	end
	local stat = io.open("/proc/self/stat", "r")
	local pid = stat and stat:read("*l"):match("^%%d+")
	if stat then stat:close() end
	local path = pid and dir .. "/lua-" .. pid
	local out = path and io.open(path, "w")
	if out then
		out:write("version ", version, "\n", "thread ", tostring(thread), "\n")
		for library, functions in pairs(package.loaded) do
			if type(library) == "string" and type(functions) == "table" then
				for name, f in pairs(functions) do
					if type(name) == "string" and type(f) == "function" and debug.getinfo(f, "S").what == "C" then
						out:write("function ", library == "_G" and name or library .. "." .. name, " ", tostring(f), "\n")
					end
				end
			end
		end
		out:write("end\n")
		out:close()
	end
end
local init = wanted[version] or wanted[""]
if init then
	local chunk, message
	if init:sub(1, 1) == "@" then
		chunk, message = loadfile(init:sub(2))
	else
		chunk, message = (loadstring or load)(init, "=" .. (wanted[version] and "LUA_INIT_" .. version:gsub("%%.", "_") or "LUA_INIT"))
	end
	if not chunk then error(message, 0) end
	chunk()
end
