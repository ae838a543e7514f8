// run.sh copies this directory and adds the requirements, one release at a time.
module collector

go 1.25
