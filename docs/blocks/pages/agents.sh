#: DIR => .
