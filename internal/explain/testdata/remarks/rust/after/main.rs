struct Image {
    pixels: Vec<u32>,
    mask: u32,
}

struct Layer {
    image: Box<Image>,
}

impl Layer {
    // The mask is in a local variable, and the slice is borrowed once.
    #[inline(never)]
    fn invert(&mut self) {
        let mask = self.image.mask;
        for pixel in &mut self.image.pixels {
            *pixel ^= mask; // hot
        }
    }
}

fn main() {
    let mut layer = Layer { image: Box::new(Image { pixels: (0..4000).collect(), mask: 3 }) };
    for round in 0..150_000 {
        layer.image.mask = round;
        layer.invert();
    }
    println!("{}", layer.image.pixels[5]);
}
