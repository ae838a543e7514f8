served web
whyhot-server token create --data fleet --scope read --name me > token 2> /dev/null
