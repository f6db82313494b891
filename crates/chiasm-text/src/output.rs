//! A text file that appears whole or not at all, compressed by its ending.

use crate::{Error, Result};
use chiasm_store::OutputFile;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

enum Encoder {
    Plain(OutputFile),
    Gzip(flate2::write::GzEncoder<OutputFile>),
    Zstd(zstd::stream::write::Encoder<'static, OutputFile>),
    Xz(liblzma::write::XzEncoder<OutputFile>),
    Bzip2(bzip2::write::BzEncoder<OutputFile>),
}

/// Text going to `path`: `.gz`, `.zst`, `.xz` and `.bz2` compress, `-` is standard output.
pub struct TextOutput {
    encoder: Encoder,
    path: PathBuf,
}

impl TextOutput {
    /// Begins the output; it exists once [`TextOutput::finish`] has returned.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = OutputFile::create(path)?;
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let encoder = match ending {
            "gz" => {
                // A header without time or name, so that the same text is the same bytes.
                Encoder::Gzip(flate2::GzBuilder::new().write(file, flate2::Compression::new(6)))
            }
            "zst" => Encoder::Zstd(
                zstd::stream::write::Encoder::new(file, 3).map_err(|e| Error::io(path, e))?,
            ),
            "xz" => Encoder::Xz(liblzma::write::XzEncoder::new(file, 6)),
            "bz2" => Encoder::Bzip2(bzip2::write::BzEncoder::new(
                file,
                bzip2::Compression::default(),
            )),
            _ => Encoder::Plain(file),
        };
        Ok(TextOutput {
            encoder,
            path: path.to_path_buf(),
        })
    }

    /// Where the text goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes text, with the file's name in the error.
    pub fn write_text(&mut self, text: &[u8]) -> Result<()> {
        self.write_all(text).map_err(|e| Error::io(&self.path, e))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        let file = match self.encoder {
            Encoder::Plain(file) => Ok(file),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Xz(encoder) => encoder.finish(),
            Encoder::Bzip2(encoder) => encoder.finish(),
        };
        Ok(file.map_err(|e| Error::io(&self.path, e))?.finish()?)
    }

    fn inner(&mut self) -> &mut dyn Write {
        match &mut self.encoder {
            Encoder::Plain(file) => file,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
            Encoder::Xz(encoder) => encoder,
            Encoder::Bzip2(encoder) => encoder,
        }
    }
}

impl Write for TextOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}
