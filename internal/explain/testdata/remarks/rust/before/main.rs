struct Image {
    pixels: Vec<u32>,
    mask: u32,
}

struct Layer {
    image: Box<Image>,
}

impl Layer {
    // A pixel may be a part of the image's own fields, as far as LLVM knows: address,
    // length and mask are loaded again for each.
    #[inline(never)]
    fn invert(&mut self) {
        for i in 0..self.image.pixels.len() {
            self.image.pixels[i] ^= self.image.mask; // hot
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
