#: FILE => cpu.pb.gz
cp "$shared/app.pb.gz" cpu.pb.gz
