#: 10m => 20s
program app 10
database build "$PWD/app.c"
