# Reads many small files, each once, and counts their lines: no waste.
total = 0
def lines(path) = File.foreach(path, encoding: 'BINARY').count
ARGV.each { |dir| Dir.glob("#{dir}/**/*").each { |path| total += lines(path) if File.file?(path) } }
puts total
