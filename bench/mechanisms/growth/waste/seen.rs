// Codes that were seen are looked for in a Vec.
#[inline(never)]
fn distinct(n: u64) -> usize {
    let mut seen: Vec<u64> = Vec::new();
    for i in 0..n {
        let code = (i * 7919) % n;
        if !seen.contains(&code) { // WASTE
            seen.push(code);
        }
    }
    seen.len()
}

fn main() {
    let n = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", distinct(n));
}
