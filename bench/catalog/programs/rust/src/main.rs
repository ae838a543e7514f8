//! Pairs of Rust crates and habits: `pairs SIDE [TIMES]`. run.py compares the CPU
//! times of two sides.
mod text;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

#[derive(serde::Serialize, serde::Deserialize, Clone)]
struct Record {
    id: u64,
    name: String,
    score: f64,
    tags: Vec<String>,
}

fn records(n: u64) -> Vec<Record> {
    (0..n).map(|i| Record { id: i, name: format!("user{i}"), score: i as f64 * 1.37, tags: vec!["a".into(), "b".into(), (i % 7).to_string()] }).collect()
}

fn text() -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..200_000u64 {
        writeln!(out, "{},alpha{},{}", i * 7919 % 1_500_007, i % 97, i as f64 * 3.7).unwrap();
    }
    out
}

fn json(times: u64, parse: fn(Vec<u8>) -> Vec<Record>) -> u64 {
    let text = serde_json::to_vec(&records(30_000)).unwrap();
    (0..times).map(|_| parse(text.clone()).len() as u64).sum()
}

fn counts<S: std::hash::BuildHasher + Default>() -> u64 {
    let mut m: HashMap<u64, u64, S> = HashMap::default();
    let mut x = 1u64;
    for _ in 0..8_000_000 {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *m.entry(x >> 46).or_default() += 1;
    }
    m.len() as u64
}

fn locked<F: Fn() + Send + Sync + 'static>(f: F) -> u64 {
    let f = Arc::new(f);
    let all: Vec<_> = (0..4).map(|_| { let f = f.clone(); std::thread::spawn(move || (0..1_000_000).for_each(|_| f())) }).collect();
    all.into_iter().for_each(|t| t.join().unwrap());
    1
}

fn run(side: &str) -> u64 {
    match side {
        "serde_json" => json(8, |t| serde_json::from_slice(&t).unwrap()),
        "simd-json" => json(8, |mut t| simd_json::from_slice(&mut t).unwrap()),
        "siphash" => counts::<std::collections::hash_map::RandomState>(),
        "fxhash" => counts::<rustc_hash::FxBuildHasher>(),
        "ahash" => counts::<ahash::RandomState>(),
        "format" => (0..4_000_000u64).map(|i| format!("{}:{}", i, i * 7).len() as u64).sum(),
        "itoa" => {
            let (mut s, mut b) = (String::new(), itoa::Buffer::new());
            (0..4_000_000u64).map(|i| { s.clear(); s.push_str(b.format(i)); s.push(':'); s.push_str(b.format(i * 7)); s.len() as u64 }).sum()
        }
        "write" => {
            let mut s = String::new();
            (0..4_000_000u64).map(|i| { s.clear(); write!(s, "{}:{}", i, i * 7).unwrap(); s.len() as u64 }).sum()
        }
        "miniz" => {
            let mut e = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
            e.write_all(&text()).unwrap();
            e.finish().unwrap().len() as u64
        }
        "libdeflate" => {
            let t = text();
            let mut c = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut out = vec![0; c.zlib_compress_bound(t.len())];
            c.zlib_compress(&t, &mut out).unwrap() as u64
        }
        "clone" => { let r = records(2000); (0..400).map(|i| { let c = r.clone(); c[i].id + c.len() as u64 }).sum() }
        "borrow" => { let r = records(2000); (0..400).map(|i| { let c = &r; c[i].id + c.len() as u64 }).sum() }
        "mutex" => { let n = Mutex::new(0u64); locked(move || *n.lock().unwrap() += 1) }
        "parking-lot" => { let n = parking_lot::Mutex::new(0u64); locked(move || *n.lock() += 1) }
        "atomic" => { let n = std::sync::atomic::AtomicU64::new(0); locked(move || { n.fetch_add(1, std::sync::atomic::Ordering::Relaxed); }) }
        _ => text::run(side).unwrap_or_else(|| panic!("no side {side}")),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let times = args.get(2).map_or(1, |t| t.parse().unwrap());
    println!("{}", (0..times).map(|_| run(&args[1])).sum::<u64>());
}
