for name in cpu now monday tuesday; do cp "$shared/app.pb.gz" $name.pb.gz; done
cp -r "$shared" build
served web
