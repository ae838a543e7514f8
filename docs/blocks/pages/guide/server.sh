# The server was built by whoever runs the tests. The agent needs something that runs,
# and nginx is a profile that somebody pushed.
#: make server => true
#: URL => http://localhost:7878
#: try --to => try --runs 3 --to
#: ID --preload => $finding --preload
#: revoke --data DIR ID => revoke --data DIR "$(whyhot-server token list --data DIR --json | jq -r '.[0].id')"
#: ./app … => ./app input
#: -p build => -p .
#: malloc => parse
#: 48h..24h 24h..now => 2h..now 1h..now
#: --since '2026-11-21 10:00' --until 2h => --since 1h --until now
program app 8
before_command() {
  case $1 in
    "whyhot top --from http://localhost:7878 --last 1h")
      for service in nginx web; do
        for version in 1.4 1.5; do
          command whyhot push "$shared/app.pb.gz" --to http://localhost:7878 --service $service --version $version || return
        done
      done
      ;;
    "whyhot try "*) finding=$(command whyhot explain --from http://localhost:7878 --service web --json | jq -er 'first(.findings[] | select(.fix.preload // [] | length > 0)).id') ;;
  esac
}
