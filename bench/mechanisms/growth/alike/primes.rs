// Trial division: each prime costs more than the one before.
#[inline(never)]
fn prime(n: u64) -> bool {
    let mut d = 2;
    while d * d <= n {
        if n % d == 0 {
            return false;
        }
        d += 1;
    }
    true
}

fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", (2..n).filter(|&k| prime(k)).count());
}
