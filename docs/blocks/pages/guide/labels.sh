#: controller="search" => process="app"
served web
cp "$shared/app.pb.gz" cpu.pb.gz
command whyhot push cpu.pb.gz --to http://localhost:7878 --service checkout --label pod=web-1 --label environment=test
