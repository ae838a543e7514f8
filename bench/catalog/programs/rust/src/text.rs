//! Sides that read text again and again: templates, patterns, dates.
use std::fmt::Write as _;

const DATES: u64 = 300_000;
const PAGES: u64 = 4_000;
const PAGE: &str = "<h1>{{ title }}</h1><ul>{% for r in rows %}<li>{{ r.id }} {{ r.name }}</li>{% endfor %}</ul>";
const BARS: &str = "<h1>{{title}}</h1><ul>{{#each rows}}<li>{{id}} {{name}}</li>{{/each}}</ul>";

fn values(title: u64) -> serde_json::Value {
    let rows: Vec<_> = (0..5).map(|i| serde_json::json!({ "id": i, "name": format!("user{i}") })).collect();
    serde_json::json!({ "title": title, "rows": rows })
}

fn handlebars(each: bool) -> u64 {
    let mut h = handlebars::Handlebars::new();
    h.register_template_string("page", BARS).unwrap();
    (0..PAGES).map(|i| if each { h.render_template(BARS, &values(i)) } else { h.render("page", &values(i)) }.unwrap().len() as u64).sum()
}

fn tera(each: bool) -> u64 {
    let mut t = tera::Tera::default();
    t.add_raw_template("page", PAGE).unwrap();
    (0..PAGES)
        .map(|i| {
            let c = tera::Context::from_serialize(&values(i)).unwrap();
            if each { tera::Tera::one_off(PAGE, &c, true) } else { t.render("page", &c) }.unwrap().len() as u64
        })
        .sum()
}

fn minijinja(each: bool) -> u64 {
    let mut e = minijinja::Environment::new();
    e.add_template("page", PAGE).unwrap();
    (0..PAGES).map(|i| if each { e.render_str(PAGE, values(i)) } else { e.get_template("page").unwrap().render(values(i)) }.unwrap().len() as u64).sum()
}

fn dates(parse: impl Fn(&str) -> u64) -> u64 {
    let mut s = String::new();
    (0..DATES).map(|i| { s.clear(); write!(s, "2026-03-{:02} 12:{:02}:{:02}", 1 + i % 28, i % 60, i % 59).unwrap(); parse(&s) }).sum()
}

fn digits(s: &str) -> u64 {
    let two = |at: usize| u64::from(s.as_bytes()[at] - b'0') * 10 + u64::from(s.as_bytes()[at + 1] - b'0');
    two(8) * 86_400 + two(11) * 3600 + two(14) * 60 + two(17)
}

fn patterns(each: bool) -> u64 {
    let pattern = r"^(\d+),([a-z]+)\d*,(\d+)$";
    let once = regex::Regex::new(pattern).unwrap();
    (0..4_000u64).map(|i| { let line = format!("{i},alpha{},{}", i % 97, i * 7); u64::from(if each { regex::Regex::new(pattern).unwrap().is_match(&line) } else { once.is_match(&line) }) }).sum()
}

pub fn run(side: &str) -> Option<u64> {
    use chrono::{NaiveDateTime, Timelike};
    Some(match side {
        "handlebars-each" => handlebars(true),
        "handlebars-once" => handlebars(false),
        "tera-each" => tera(true),
        "tera-once" => tera(false),
        "minijinja-each" => minijinja(true),
        "minijinja-once" => minijinja(false),
        "regex-each" => patterns(true),
        "regex-once" => patterns(false),
        "chrono" => dates(|s| u64::from(NaiveDateTime::parse_from_str(s, "%Y-%m-%d %H:%M:%S").unwrap().second())),
        "chrono-items" => {
            let items = chrono::format::StrftimeItems::new("%Y-%m-%d %H:%M:%S").parse().unwrap();
            dates(|s| {
                let mut p = chrono::format::Parsed::new();
                chrono::format::parse(&mut p, s, items.iter()).unwrap();
                u64::from(p.to_naive_datetime_with_offset(0).unwrap().second())
            })
        }
        "chrono-format" => dates(|s| NaiveDateTime::new(chrono::NaiveDate::from_ymd_opt(2026, 3, 1 + (digits(s) % 28) as u32).unwrap(), chrono::NaiveTime::MIN).format("%Y-%m-%d %H:%M:%S").to_string().len() as u64),
        "time" => {
            let f = time::format_description::parse("[year]-[month]-[day] [hour]:[minute]:[second]").unwrap();
            dates(|s| u64::from(time::PrimitiveDateTime::parse(s, &f).unwrap().second()))
        }
        "time-each" => dates(|s| u64::from(time::PrimitiveDateTime::parse(s, &time::format_description::parse("[year]-[month]-[day] [hour]:[minute]:[second]").unwrap()).unwrap().second())),
        "digits" => dates(digits),
        _ => return None,
    })
}
