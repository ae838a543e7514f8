cp "$shared/app.pb.gz" cpu.pb.gz
