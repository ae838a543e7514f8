// Formats numbers into a BufWriter: formatting is the work. No waste of calls.
use std::fs::File;
use std::io::{BufWriter, Write};

fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut out = BufWriter::new(File::create("/tmp/mech-table.txt").unwrap());
    for i in 0..n {
        writeln!(out, "{:>12} {:>14.6} {:#x}", i, (i as f64).sqrt(), i * 7919).unwrap();
    }
}
