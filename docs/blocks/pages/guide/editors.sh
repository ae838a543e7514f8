program parser
