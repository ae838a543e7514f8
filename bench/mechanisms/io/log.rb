# Logs each request to a file that is flushed after each line; "mend" lets it buffer.
how, n = ARGV[0], ARGV[1].to_i
log = File.open('/tmp/mech-log.txt', 'w')
log.sync = how != 'mend'
def serve(log, i) = log.puts("GET /item/#{i} 200")
n.times { |i| serve(log, i) }
log.close
