// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
use std::collections::{BTreeMap, LinkedList, VecDeque};

struct State {
    items: Vec<u64>,
    names: Vec<String>,
    text: String,
    wide: String,
    linked: LinkedList<u64>,
    queue: VecDeque<u64>,
    other: BTreeMap<u64, u64>,
    sink: u64,
}

#[inline(never)]
fn work(s: &mut State, i: u64) {
    *s.other.entry(i % 64).or_insert(0) += i % 7;
}
#[inline(never)]
fn remove(s: &mut State, i: u64) {
    s.items.push(i);
    s.sink += s.items.remove(0); // WASTE remove
}
#[inline(never)]
fn insert(s: &mut State, i: u64) {
    s.items.insert(0, i); // WASTE insert
    s.items.pop();
}
#[inline(never)]
fn member(s: &mut State, i: u64) {
    s.sink += s.items.contains(&(u64::MAX - i)) as u64; // WASTE member
}
#[inline(never)]
fn texts(s: &mut State, i: u64) {
    let key = format!("none {}", i % 10);
    s.sink += s.names.contains(&key) as u64; // WASTE texts
}
#[inline(never)]
fn position(s: &mut State, i: u64) {
    s.sink += s.names.iter().position(|n| n.len() as u64 == 100 + i).unwrap_or(1) as u64; // WASTE position
}
#[inline(never)]
fn clone(s: &mut State, i: u64) {
    let mut all = s.items.clone(); // WASTE clone
    all[0] = i;
    s.sink += all[1];
}
#[inline(never)]
fn deep(s: &mut State, i: u64) {
    let all = s.names.clone(); // WASTE deep
    s.sink += all[0].len() as u64 + i;
}
#[inline(never)]
fn nth(s: &mut State, i: u64) {
    s.sink += s.wide.chars().nth(s.items.len() - 2).map_or(0, |c| c as u64) + i; // WASTE nth
}
#[inline(never)]
fn count(s: &mut State, i: u64) {
    s.sink += s.wide.chars().count() as u64 + i; // WASTE count
}
#[inline(never)]
fn front(s: &mut State, _i: u64) {
    s.text.insert(0, 'a'); // WASTE front
    s.text.pop();
}
#[inline(never)]
fn format(s: &mut State, i: u64) {
    let grown = format!("{}{}", s.text, i); // WASTE format
    s.sink += grown.len() as u64;
}
#[inline(never)]
fn to_string(s: &mut State, i: u64) {
    let grown = s.text.to_string(); // WASTE to_string
    s.sink += grown.len() as u64 + i;
}
#[inline(never)]
fn chars(s: &mut State, i: u64) {
    let all: Vec<char> = s.wide.chars().collect(); // WASTE chars
    s.sink += all.len() as u64 + i;
}
#[inline(never)]
fn linked(s: &mut State, i: u64) {
    s.sink += s.linked.iter().nth(s.items.len() - 1).unwrap_or(&0) + i; // WASTE linked
}
#[inline(never)]
fn queue(s: &mut State, i: u64) {
    s.sink += s.queue.contains(&(u64::MAX - i)) as u64; // WASTE queue
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (length, rounds): (u64, u64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    let mut s = State {
        items: (0..length).collect(),
        names: (0..length).map(|i| format!("name {i}")).collect(),
        text: "x".repeat(length as usize),
        wide: "ü".repeat(length as usize),
        linked: (0..length).collect(),
        queue: (0..length).collect(),
        other: BTreeMap::new(),
        sink: 0,
    };
    let run: fn(&mut State, u64) = match args[1].as_str() {
        "remove" => remove,
        "insert" => insert,
        "member" => member,
        "texts" => texts,
        "position" => position,
        "clone" => clone,
        "deep" => deep,
        "nth" => nth,
        "count" => count,
        "front" => front,
        "format" => format,
        "to_string" => to_string,
        "chars" => chars,
        "linked" => linked,
        _ => queue,
    };
    for i in 0..rounds {
        run(&mut s, i);
        work(&mut s, i);
    }
    println!("{}", s.sink);
}
