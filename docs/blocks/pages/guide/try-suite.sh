#: try suite => try suite --runs 3
program app 3
printf 'name: solver\nbenchmarks:\n  - name: easy\n    command: ./app input\n  - name: hard\n    command: ./app input\n' > bench.yaml
