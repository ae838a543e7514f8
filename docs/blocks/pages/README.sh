# The reader's program, and Debian's html2text: a program that a Makefile builds.
#: ID => $(first_finding whyhot-app.pb.gz)
#: whyhot try --profile => whyhot try --runs 3 --profile
#: 2m => 15s
program app 120
mkdir html2text && (cd html2text && program html2text 3)
mv html2text html2text-source && cp html2text-source/{html2text.c,Makefile,html2text} . && cp input page.html
