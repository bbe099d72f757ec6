//! Text from a file or stream: decompressed, with its first lines in view.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use super::reader::Input;
use crate::data::{Damage, TableError};
use crate::error::Result;

/// Bytes read at a time.
const BUFFER_BYTES: usize = 128 * 1024;
/// How many bytes are looked at before; a longer line is taken as it comes.
const LONGEST_HEAD: usize = 16 * 1024 * 1024;
/// Lines from which the delimiter is learned.
const FIRST_LINES: usize = 8;

/// A text whose beginning has been looked at.
pub(super) struct Text {
    /// The first lines that are neither blank nor comments, without their line ends; at least one.
    pub(super) first_lines: Vec<Vec<u8>>,
    /// Whether the first of them ends in `\r\n`.
    pub(super) crlf: bool,
    /// The whole text, from its first byte, always ending in `\n`.
    pub(super) bytes: Stream,
}

pub(super) type Stream = WithLastNewline<Chain<Cursor<Vec<u8>>, Box<dyn BufRead + Send>>>;

impl Text {
    /// Opens a text; gzip and zstd are recognised by their first bytes.
    pub(super) fn open(input: Input, file: &str) -> Result<Text> {
        let unreadable = |source| match source {
            source if is_damage(&source) => damaged(file, source),
            source => TableError::Unreadable {
                file: file.into(),
                source,
            },
        };
        let raw = BufReader::with_capacity(BUFFER_BYTES, input.into_stream());
        let mut bytes = decompressed(raw).map_err(unreadable)?;
        let (mut head, mut first_lines, mut crlf) = (Vec::new(), Vec::new(), false);
        while first_lines.len() < FIRST_LINES && head.len() < LONGEST_HEAD {
            let start = head.len();
            let n = bytes
                .by_ref()
                .take((LONGEST_HEAD - start) as u64)
                .read_until(b'\n', &mut head)
                .map_err(unreadable)?;
            if start == 0 && (head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF])) {
                return Err(TableError::NotUtf8 {
                    file: file.into(),
                    line: 1,
                }
                .into());
            }
            if n == 0 {
                break;
            }
            let line = without_bom(&head[start..], start);
            if !line.trim_ascii().is_empty() && line[0] != b'#' {
                crlf |= first_lines.is_empty() && line.ends_with(b"\r\n");
                first_lines.push(line.trim_ascii_end().to_vec());
            }
        }
        if first_lines.is_empty() {
            return Err(TableError::EmptyFile { file: file.into() }.into());
        }
        let bytes = WithLastNewline {
            inner: Cursor::new(head).chain(bytes),
            last: b'\n',
        };
        Ok(Text {
            first_lines,
            crlf,
            bytes,
        })
    }
}

/// A reading error in the middle of a text, in the reader's terms.
pub(super) fn failed(file: &str, source: io::Error) -> TableError {
    if is_damage(&source) {
        damaged(file, source)
    } else {
        TableError::Unreadable {
            file: file.into(),
            source,
        }
    }
}

/// Compressed data that cannot be decompressed show up as these.
fn is_damage(source: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    matches!(
        source.kind(),
        InvalidData | InvalidInput | Other | UnexpectedEof
    )
}

fn damaged(file: &str, source: io::Error) -> TableError {
    TableError::Damaged {
        file: file.into(),
        format: "compressed",
        damage: Damage::Refused(source.into()),
    }
}

fn decompressed(mut raw: BufReader<Box<dyn Read + Send>>) -> io::Result<Box<dyn BufRead + Send>> {
    let start = raw.fill_buf()?;
    if start.starts_with(&[0x1F, 0x8B]) {
        let inner = flate2::bufread::MultiGzDecoder::new(raw);
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, inner)))
    } else if start.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        let inner = zstd::stream::read::Decoder::with_buffer(raw)?;
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, inner)))
    } else {
        Ok(Box::new(raw))
    }
}

fn without_bom(line: &[u8], start: usize) -> &[u8] {
    let bom: &[u8] = "\u{FEFF}".as_bytes();
    if start == 0 {
        line.strip_prefix(bom).unwrap_or(line)
    } else {
        line
    }
}

/// Adds the line end that the last line may lack, so that lines can be counted by it.
pub(super) struct WithLastNewline<R> {
    inner: R,
    last: u8,
}

impl<R: Read> Read for WithLastNewline<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut n = self.inner.read(buffer)?;
        if n == 0 && self.last != b'\n' {
            buffer[0] = b'\n';
            n = 1;
        }
        if n > 0 {
            self.last = buffer[n - 1];
        }
        Ok(n)
    }
}
