#: acme::OldTokenizer::next => compare
cp "$shared/app.pb.gz" cpu.pb.gz
