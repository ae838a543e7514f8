// The newest line is inserted at the front of a Vec.
#[inline(never)]
fn history(n: u64) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for i in 0..n {
        all.insert(0, format!("entry {} of {}", i, n)); // WASTE
    }
    all
}

fn main() {
    let n = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", history(n).len());
}
