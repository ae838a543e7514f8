#: acme::OldTokenizer::next => parse
cp "$shared/app.pb.gz" cpu.pb.gz
