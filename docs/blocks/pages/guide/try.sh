#: whyhot try --preload => whyhot try --runs 3 --preload
#: whyhot try --profile => whyhot try --runs 3 --profile
#: whyhot try --load => whyhot try --runs 3 --load
#: whyhot try --metric-regex => whyhot try --runs 3 --metric-regex
#: 28c1f => last
#: ID => $finding
#: edit => sed -i 's/round < 12/round < 9/' app.c
#: wrk -t1 -c8 -d3 => ./load
program app 12
until finding=$(first_finding app.pb.gz 2> /dev/null); do recorded app.pb.gz ./app input; done
jq -nc '[range(50000) | {id: .}]' > big.json
cp app bench.real && printf '#!/bin/sh\nexec ./bench.real input\n' > bench && chmod +x bench
printf '#!/bin/sh\nexec python3 -m http.server --bind 127.0.0.1 8080 2> /dev/null\n' > server && chmod +x server
printf '#!/bin/sh\nfor i in 1 2 3 4 5; do curl -s "$1" > /dev/null || exit; done\n' > load && chmod +x load
git init -q && git add . && git commit -qm 'The program'
