#: 4711 => $pid
#: -d 30 => -d 2
#: -d 10 => -d 2
jq -nc '[range(100000) | {id: .}]' > big.json
program app 200
./app input > /dev/null &
pid=$!
