//! Parts of one file that are read side by side.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

/// The bytes of an array.
pub(super) enum Bytes {
    /// Readable at any place.
    Shared(Window),
    /// Readable once, from the beginning.
    Once(Box<dyn Read + Send>),
}

impl Bytes {
    pub(super) fn into_stream(self) -> Box<dyn Read + Send> {
        match self {
            Bytes::Shared(window) => Box::new(BufReader::with_capacity(64 * 1024, window)),
            Bytes::Once(stream) => stream,
        }
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytes::Shared(window) => window.read(buffer),
            Bytes::Once(stream) => stream.read(buffer),
        }
    }
}

pub(super) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// A part of a file that several readers share, each with a position of its own.
#[derive(Clone)]
pub(super) struct Window {
    file: Arc<Mutex<dyn ReadSeek>>,
    start: u64,
    position: u64,
    /// Where the part ends; past the end of the file if nobody knows.
    end: u64,
}

impl Window {
    pub(super) fn whole(file: impl ReadSeek + 'static) -> Window {
        Window {
            file: Arc::new(Mutex::new(file)),
            start: 0,
            position: 0,
            end: u64::MAX,
        }
    }

    /// What has not been read yet.
    pub(super) fn rest(&self) -> Window {
        Window {
            start: self.position,
            ..self.clone()
        }
    }

    /// A part of this part.
    pub(super) fn part(&self, offset: u64, length: u64) -> Window {
        let start = self.start.saturating_add(offset);
        let end = start.saturating_add(length).min(self.end);
        Window {
            file: Arc::clone(&self.file),
            start,
            position: start,
            end,
        }
    }
}

impl Read for Window {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let mut file = self
            .file
            .lock()
            .map_err(|_| io::Error::other("another reader failed"))?;
        file.seek(SeekFrom::Start(self.position))?;
        let n = file.read(&mut buffer[..length])?;
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for Window {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
        self.position = match to {
            SeekFrom::Start(offset) => self.start.checked_add(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => {
                let mut file = self
                    .file
                    .lock()
                    .map_err(|_| io::Error::other("another reader failed"))?;
                file.seek(SeekFrom::End(0))?
                    .min(self.end)
                    .checked_add_signed(offset)
            }
        }
        .ok_or_else(invalid)?;
        Ok(self.position - self.start)
    }
}
