#: URL => http://localhost:7878
#: lzma_mf_bt4_find => $function
for name in tesseract xz; do gzip -c "$top/internal/ingest/folded/testdata/perf-clang.folded" > $name.folded.gz; done
function=$(command whyhot top xz.folded.gz --json | jq -er 'first(.functions[] | select(.function)).function')
served web
