program parser 30
