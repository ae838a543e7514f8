#: try build => try build --budget 20s
program bench 4
cp "$shared/app.pb.gz" cpu.pb.gz
