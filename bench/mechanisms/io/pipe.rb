# Sends jobs to a child and waits for each answer: messages, not output. No waste.
n = ARGV[0].to_i
to, from = IO.pipe, IO.pipe
fork do
  to[1].close
  while (line = to[0].gets) do from[1].syswrite("done #{line}"); end
  exit!(0)
end
from[1].close; to[0].close
def ask(to, from, i) = (to.syswrite("job #{i}\n"); from.gets)
n.times { |i| ask(to[1], from[0], i) }
to[1].close
