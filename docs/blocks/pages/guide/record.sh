#: 4711 => $pid
#: -d 30 => -d 2
#: -d 10 => -d 2
jq -nc '[range(100000) | {id: .}]' > big.json
# Minutes: it runs until the page's commands have ended.
program app 16000
./app input > /dev/null &
pid=$!
