//! The packets of a file in order, with a look ahead.
//!
//! If MP3 files were joined, the header states the length of the first one. symphonia takes all
//! packets after that length for padding. Padding is short, so a longer rest is sound.

use std::collections::VecDeque;

use symphonia::core::errors::Result;
use symphonia::core::formats::FormatReader;
use symphonia::core::packet::Packet;
use symphonia::core::units::Duration;

/// Most packets that are wholly padding: a LAME tag states at most 4095 frames, a packet has at
/// least 576.
const PADDING_PACKETS_MAX: usize = 7;

pub(super) struct Packets {
    pub(super) format: Box<dyn FormatReader>,
    ahead: VecDeque<Result<Option<Packet>>>,
    /// True if each packet is a frame of MPEG audio with its header.
    is_mpeg: bool,
    /// True if packets after the stated end are sound.
    goes_on: bool,
}

impl Packets {
    pub(super) fn new(format: Box<dyn FormatReader>, is_stated: bool) -> Self {
        let is_mpeg = matches!(format.format_info().short_name, "mp1" | "mp2" | "mp3");
        Self {
            format,
            ahead: VecDeque::new(),
            is_mpeg,
            // the length of an MP3 without a LAME tag is guessed from the length of the file
            goes_on: is_mpeg && !is_stated,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Packet>> {
        let next = self.ahead.pop_front();
        let next = next.unwrap_or_else(|| self.format.next_packet());
        let Some(mut packet) = next? else {
            return Ok(None);
        };
        if self.is_mpeg && !self.goes_on && packet.trim_end >= packet.dur {
            self.look(PADDING_PACKETS_MAX);
            let all = self.ahead.len() == PADDING_PACKETS_MAX;
            self.goes_on = all && self.ahead.iter().all(|it| matches!(it, Ok(Some(_))));
        }
        if self.goes_on {
            packet.trim_end = Duration::ZERO;
        }
        Ok(Some(packet))
    }

    /// True when this packet of MPEG audio and the next have the same rate and the same number of
    /// channels; a false header inside damaged bytes has no such follower.
    pub(super) fn is_followed(&mut self, packet: &Packet) -> bool {
        if !self.is_mpeg {
            return false;
        }
        self.look(1);
        match (&*packet.data, self.ahead.front()) {
            ([_, b1, b2, b3, ..], Some(Ok(Some(next)))) => match *next.data {
                [_, n1, n2, n3, ..] => {
                    let is_mono = |byte: u8| byte >> 6 == 3;
                    (b1 ^ n1) & 0xfe == 0 && (b2 ^ n2) & 0x0c == 0 && is_mono(*b3) == is_mono(n3)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Reads up to this many packets in advance, and stops at the end or at an error.
    fn look(&mut self, count: usize) {
        while self.ahead.len() < count && matches!(self.ahead.back(), None | Some(Ok(Some(_)))) {
            let next = self.format.next_packet();
            self.ahead.push_back(next);
        }
    }
}
