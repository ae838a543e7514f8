// Built with rustc 1.95: rustc -O -g -C panic=abort -C relocation-model=static -C link-arg=-nostartfiles
//   -C link-arg=-static -C link-arg=-lc -C link-arg=-Wl,--gc-sections calls.rs
// then objcopy -R .debug_line -R .debug_aranges --compress-debug-sections=zlib
#![no_std]
#![no_main]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }

// As the standard library's, which would bring its own debug information.
pub struct Vec<T> { cap: usize, ptr: *const T, len: usize }
pub struct String { vec: Vec<u8> }

pub struct Rates { factor: u64, table: [u32; 4] }

#[inline(never)]
#[no_mangle]
pub fn width(text: &str, size: u32) -> u64 { text.bytes().fold(size as u64, |t, b| t * 31 + b as u64) }
#[inline(never)]
#[no_mangle]
pub fn label(text: &str, times: usize) -> String { String { vec: Vec { cap: text.len() * times, ptr: text.as_ptr(), len: text.len() } } }
#[inline(never)]
#[no_mangle]
pub fn price(rates: &Rates, name: &String, rebate: i16) -> u64 { rates.factor * name.vec.len as u64 + rates.table[name.vec.len % 4] as u64 - rebate as u64 }
#[inline(never)]
#[no_mangle]
pub fn position(text: &str, of: u8) -> Option<usize> { text.bytes().position(|b| b == of) }
#[inline(never)]
#[no_mangle]
pub fn scaled(of: f64, by: u32) -> u32 { of as u32 * by }
#[inline(never)]
#[no_mangle]
pub fn ways(left: i64, from: usize) -> u64 { if left <= 0 || from > 9 { (left == 0) as u64 } else { ways(left - from as i64, from) + ways(left, from + 1) } }

#[inline(never)]
#[no_mangle]
pub unsafe fn first(at: *const u8, len: usize) -> u8 { if len > 3 { *at } else { *at.add(len) } }
#[inline(never)]
#[no_mangle]
pub fn single(n: &u32) -> u32 { n.wrapping_mul(7) }

#[no_mangle]
pub extern "C" fn _start(argc: usize) -> ! {
    let rates = Rates { factor: argc as u64, table: [1, 2, 3, 4] };
    let text = label("abc", argc);
    let word = unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(text.vec.ptr, text.vec.len.min(text.vec.cap))) };
    let n = width(word, 7) + price(&rates, &text, 5) + position(word, b'c').unwrap_or(0) as u64 + scaled(argc as f64, 3) as u64 + ways(argc as i64, 1) + unsafe { first(word.as_ptr(), argc) } as u64 + single(&rates.table[argc % 4]) as u64;
    unsafe { core::arch::asm!("syscall", in("rax") 231, in("rdi") n, options(noreturn)) }
}
