function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * i % 7; return s }
function outer() { let s = 0; for (let i = 0; i < 5; i++) s += inner(20000); return s }
function turn() { outer(); setTimeout(turn, 3) }
turn()
