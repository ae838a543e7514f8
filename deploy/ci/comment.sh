#!/bin/sh
# Puts a comment of `whyhot check --markdown FILE` on a change request, in place of the one
# that an earlier check put there.
#
#   comment.sh github FILE   GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, PULL_REQUEST
#   comment.sh gitlab FILE   CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, GITLAB_TOKEN
#
# It needs curl and jq.
set -eu

host=$1 file=$2
marker=$(head -n 1 "$file")
case $host in
github)
  header="Authorization: Bearer $GITHUB_TOKEN"
  comments="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
  one="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments"
  change=PATCH
  ;;
gitlab)
  header="PRIVATE-TOKEN: $GITLAB_TOKEN"
  comments="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
  one=$comments
  change=PUT
  ;;
*)
  echo "comment.sh: $host: must be github or gitlab" >&2
  exit 2
  ;;
esac

# The token is in no command line, which other users can see.
call() {
  printf 'header = "%s"\n' "$header" | curl --silent --show-error --fail --config - --header 'Content-Type: application/json' "$@"
}

id=
page=1
while [ -z "$id" ]; do
  list=$(call "$comments?per_page=100&page=$page")
  id=$(printf '%s' "$list" | jq -r --arg marker "$marker" 'map(select(.body // "" | startswith($marker))) | .[0].id // empty')
  [ "$(printf '%s' "$list" | jq length)" -eq 100 ] || break
  page=$((page + 1))
done
# The configuration is curl's standard input, so the comment is a file.
body=$(mktemp)
trap 'rm -f "$body"' EXIT
jq -n --rawfile body "$file" '{body: $body}' >"$body"
if [ -n "$id" ]; then
  call --request "$change" --data @"$body" "$one/$id" >/dev/null
else
  call --request POST --data @"$body" "$comments" >/dev/null
fi
