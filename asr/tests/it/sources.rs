//! Sources for the tests of this crate: whole files, made sound, and the segments in them.

use weir_asr::SourceSpec;

/// What is known of made sound.
pub(crate) fn spec(rate_hz: u32, channels: u16) -> SourceSpec {
    SourceSpec {
        name: "made".to_owned(),
        format: "raw".to_owned(),
        rate_hz,
        channels,
        frames: None,
    }
}

/// Splits samples into pieces of these lengths, again and again; whole without lengths.
pub(crate) fn pieces<'a>(
    mut rest: &'a [f32],
    cuts: &'a [usize],
) -> impl Iterator<Item = &'a [f32]> {
    let mut cuts = cuts.iter().cycle();
    std::iter::from_fn(move || {
        let cut = cuts.next().map_or(rest.len(), |cut| *cut);
        let (head, tail) = rest.split_at(cut.clamp(1, rest.len().max(1)).min(rest.len()));
        rest = tail;
        (!head.is_empty()).then_some(head)
    })
}

#[cfg(feature = "decode")]
pub(crate) use decoded::{Decoded, decode, of_bytes, read_all, segments};

#[cfg(feature = "decode")]
mod decoded {
    use super::SourceSpec;
    use std::path::Path;
    use weir_asr::{
        AudioError, AudioSource, Channels, Listener, Segment, SegmenterConfig, SourceWarning,
        open_file,
    };

    /// A file read to its end.
    pub(crate) struct Decoded {
        pub(crate) spec: SourceSpec,
        pub(crate) samples: Vec<f32>,
        pub(crate) warnings: Vec<SourceWarning>,
    }

    impl Decoded {
        pub(crate) fn frames(&self) -> u64 {
            self.samples.len() as u64 / u64::from(self.spec.channels)
        }

        /// All warnings, one a line.
        pub(crate) fn told(&self) -> String {
            let lines: Vec<String> = self.warnings.iter().map(ToString::to_string).collect();
            lines.join("\n")
        }
    }

    pub(crate) fn decode(path: &Path) -> Result<Decoded, AudioError> {
        read_all(open_file(path)?)
    }

    /// A file of these bytes, read to its end.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Decoded {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        decode(file.path()).expect("it is read")
    }

    pub(crate) fn read_all(mut source: Box<dyn AudioSource>) -> Result<Decoded, AudioError> {
        let (mut chunk, mut samples, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let count = source.read(&mut chunk)?;
            assert_eq!(count, chunk.len(), "read counts its chunk");
            if count == 0 {
                break;
            }
            samples.extend_from_slice(&chunk);
        }
        assert_eq!(source.read(&mut chunk)?, 0, "the end stays the end");
        source.take_warnings(&mut warnings);
        Ok(Decoded {
            spec: source.spec().clone(),
            samples,
            warnings,
        })
    }

    /// The segments of speech in a source.
    pub(crate) fn segments(spec: &SourceSpec, samples: &[f32]) -> Vec<Segment> {
        let config = SegmenterConfig::default();
        let mut listener = Listener::new(spec, Channels::Mix, &config).expect("a legal source");
        let mut found = Vec::new();
        listener.step(samples, &mut found);
        listener.finish(&mut found);
        found
    }
}
