// Takes jobs from the front of a Vec, which moves all others.
struct Job {
    id: u64,
    weight: [u64; 7],
}

fn jobs(n: u64) -> Vec<Job> {
    (0..n).map(|id| Job { id, weight: [id; 7] }).collect()
}

#[inline(never)]
fn work(mut queue: Vec<Job>) -> u64 {
    let mut sum = 0u64;
    while !queue.is_empty() {
        let job = queue.remove(0); // GROWS
        for w in job.weight {
            sum = sum.wrapping_mul(31).wrapping_add(w ^ job.id);
        }
    }
    sum
}

fn main() {
    let n = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", work(jobs(n)));
}
