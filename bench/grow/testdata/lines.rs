// Parses and sorts lines: n log n.
use std::collections::BTreeMap;

fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut text = String::new();
    let mut x = 1u64;
    for i in 0..n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        text.push_str(&format!("{} {}\n", x >> 40, i));
    }
    let mut by_key: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap();
        by_key.entry(key.parse().unwrap()).or_default().push(value.parse().unwrap());
    }
    println!("{} {}", by_key.len(), by_key.values().map(|v| v.len()).max().unwrap());
}
