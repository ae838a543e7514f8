struct Station { code: String, zone: u32 }
struct Trip { from: String, minutes: u32 }

fn zone_minutes(trips: &[Trip], stations: &[Station]) -> [u64; 5] {
    let mut out = [0u64; 5];
    for trip in trips {
        for station in stations {
            if station.code == trip.from {  // WASTE
                out[station.zone as usize] += trip.minutes as u64;
                break;
            }
        }
    }
    out
}

fn main() {
    let stations: Vec<Station> = (0..3000u64).map(|i| Station { code: format!("st{:06}", i * 7919 % 999983), zone: (i % 5) as u32 }).collect();
    let trips: Vec<Trip> = (0..200000usize).map(|i| Trip { from: stations[i * 31 % 3000].code.clone(), minutes: (i % 60) as u32 }).collect();
    println!("{:?}", zone_minutes(&trips, &stations));
}
