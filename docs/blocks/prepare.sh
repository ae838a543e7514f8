# The program of most pages, built and recorded once.
program app 30
recorded app.pb.gz ./app input
