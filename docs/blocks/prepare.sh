# The program of most pages, built and recorded once.
program app 12
command whyhot record -o app.pb.gz -- ./app input
