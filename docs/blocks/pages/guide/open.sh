for name in cpu before after; do cp "$shared/app.pb.gz" $name.pb.gz; done
