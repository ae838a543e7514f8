program app 8
while ./app input; do :; done > /dev/null &
batch() { [ -n "$(compgen -G 'batches/*.pb.gz')" ]; }
before_command() {
  case $1 in "whyhot top"*) until_true 120 batch ;; esac
}
