//! Pictures as files within a page: PNG with a palette, not compressed.

use std::fmt::Write as _;

/// A colour.
pub(crate) type Colour = [u8; 3];

/// A picture of rows of places in a palette, the uppermost row first, as the address of an image.
pub(crate) fn data_uri(width: usize, rows: &[Vec<u8>], palette: &[Colour]) -> String {
    format!(
        "data:image/png;base64,{}",
        base64(&png(width, rows, palette))
    )
}

fn png(width: usize, rows: &[Vec<u8>], palette: &[Colour]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = |n: usize| u32::try_from(n).expect("pictures are small").to_be_bytes();
    // Eight bits, a palette, and nothing special.
    let header = [&size(width)[..], &size(rows.len()), &[8, 3, 0, 0, 0]].concat();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"PLTE", palette.as_flattened());
    let lines = rows
        .iter()
        .flat_map(|row| [0].into_iter().chain(row.iter().copied()));
    chunk(&mut file, *b"IDAT", &stored(&lines.collect::<Vec<u8>>()));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("pictures are small");
    file.extend(length.to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let check = crc(&file[start..]);
    file.extend(check.to_be_bytes());
}

/// A zlib stream of blocks that are not compressed.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("blocks are that short");
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    stream.extend(adler(data).to_be_bytes());
    stream
}

/// The check of a chunk: a cyclic redundancy code of 32 bits.
fn crc(data: &[u8]) -> u32 {
    let next = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 * (sum & 1))
        })
    };
    !data.iter().fold(!0, next)
}

/// The check of a stream.
fn adler(data: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let next = |(a, b): (u32, u32), byte: &u8| {
        let a = (a + u32::from(*byte)) % MODULUS;
        (a, (b + a) % MODULUS)
    };
    let (a, b) = data.iter().fold((1, 0), next);
    (b << 16) | a
}

fn base64(data: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in data.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            let _ = text.write_char(if i <= three.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        // The usual checks of these codes.
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"M"), "TQ==");
    }

    #[test]
    fn a_picture_has_its_chunks() {
        let file = png(2, &[vec![0, 1], vec![1, 0]], &[[0, 0, 0], [255, 255, 255]]);
        // Signature; header, palette, data and end with 12 bytes about each.
        let stream = 2 + 5 + 6 + 4;
        assert_eq!(file.len(), 8 + (12 + 13) + (12 + 6) + (12 + stream) + 12);
        assert_eq!(&file[12..16], b"IHDR");
        assert!(
            file.ends_with(&[0xae, 0x42, 0x60, 0x82]),
            "the check of IEND"
        );
    }
}
