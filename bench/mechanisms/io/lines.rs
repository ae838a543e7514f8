// Writes a report; "mend" puts a BufWriter in front of the file.
use std::fs::File;
use std::io::{BufWriter, Write};

fn report(out: &mut dyn Write, n: u64) {
    let mut x = 12345u64;
    for i in 0..n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        writeln!(out, "{} {}", i, x >> 40).unwrap();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: u64 = args[2].parse().unwrap();
    let file = File::create("/tmp/mech-lines.txt").unwrap();
    if args[1] == "mend" {
        report(&mut BufWriter::new(file), n);
    } else {
        report(&mut { file }, n);
    }
}
