// Blocks are copied out of a large buffer and summed.
#[inline(never)]
fn block(all: &[u8], at: usize) -> Vec<u8> {
    all[at..at + 65536].to_vec()
}

fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let all: Vec<u8> = (0..1 << 24).map(|i| (i * 31 >> 3) as u8).collect();
    let mut sum = 0u64;
    for i in 0..n {
        let b = block(&all, (i * 4096) % ((1 << 24) - 65536));
        sum += b.iter().step_by(8).map(|&x| x as u64).sum::<u64>();
    }
    println!("{}", sum);
}
