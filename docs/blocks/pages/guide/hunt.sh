#: 10m => 20s
program app 4
database build "$PWD/app.c"
