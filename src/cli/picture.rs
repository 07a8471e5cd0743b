//! A drawn board as a PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::Failure;

/// Pixels for each unit of the drawing.
const SCALE: u16 = 2;

/// The picture of an SVG text. Letters need a font of this machine.
pub fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    if options.fontdb.is_empty() {
        return Err(
            Failure::new("this machine has no fonts to draw letters with")
                .hint("install one, such as DejaVu, or use `--style svg`"),
        );
    }
    let bad = |e: &dyn std::fmt::Display| Failure::new(format!("the picture cannot be made: {e}"));
    let tree = Tree::from_str(svg, &options).map_err(|e| bad(&e))?;
    let size = tree.size().to_int_size();
    let scale = u32::from(SCALE);
    let mut pixels = Pixmap::new(size.width() * scale, size.height() * scale)
        .ok_or_else(|| bad(&"it has no size"))?;
    let scale = f32::from(SCALE);
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|e| bad(&e))
}
