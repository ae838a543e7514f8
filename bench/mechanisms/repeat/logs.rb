require "erb"
TEXT = "<% 20.times do |i| %><li><%= name %> <%= i %></li><% end %>"
KEPT = ERB.new(TEXT)
def page(name, waste)
  t = waste ? ERB.new(TEXT) : KEPT
  t.result(binding)
end
waste = ARGV[0] == "waste"
puts((0...15_000).sum { |i| page("n#{i}", waste).size })
