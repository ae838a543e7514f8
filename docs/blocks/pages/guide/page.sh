served app
cp -r "$shared" build
