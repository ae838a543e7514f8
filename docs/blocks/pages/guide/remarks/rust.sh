#: needs cargo
export RUSTUP_HOME=${RUSTUP_HOME-$reader_home/.rustup}
mkdir src
printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
printf 'fn main() {\n    let mut total: u64 = 0;\n    for i in 0..300_000_000u64 {\n        total = total.wrapping_mul(31) ^ i;\n    }\n    println!("{total}");\n}\n' > src/main.rs
cargo build --release --quiet && recorded app.pb.gz target/release/app && cargo clean --quiet
