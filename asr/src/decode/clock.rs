//! Finds sound that is missing between packets, from their times.
//!
//! Invariant: a gap is never longer than the jump of the times between two packets, nor than the
//! difference between the times and the frames of all packets so far. So jitter and rounding of
//! times never add up to silence.

use symphonia::core::packet::Packet;
use symphonia::core::units::TimeBase;

/// The times of the packets of one stream.
pub(super) struct Clock {
    /// `None` if the times are ignored.
    base: Option<TimeBase>,
    /// True if a time is the number of frames before it, whatever their rate (MP3, ADTS).
    counts_frames: bool,
    rate_hz: u32,
    /// Frame at which the last packet began.
    begun: i64,
    /// Frame at which the next packet should begin, computed from the last packet, and from the
    /// frames of all packets so far.
    due: Option<(i64, i64)>,
}

impl Clock {
    /// A clock with this time base. If the stream should begin at 0, a later first packet is a gap.
    pub(super) fn new(base: Option<TimeBase>, counts_frames: bool, begins_at_0: bool) -> Self {
        Self {
            base,
            counts_frames,
            rate_hz: 0,
            begun: i64::MIN,
            due: begins_at_0.then_some((0, 0)),
        }
    }

    /// Number of frames that are missing before a packet of `frames` frames; 0 if it would be more
    /// than `most`.
    pub(super) fn gap(&mut self, packet: &Packet, rate_hz: u32, frames: u64, most: u64) -> u64 {
        let Some((begun, unit)) = self.frame_of(packet, rate_hz) else {
            return 0;
        };
        let last_rate_hz = std::mem::replace(&mut self.rate_hz, rate_hz);
        if last_rate_hz != rate_hz && last_rate_hz != 0 && !self.counts_frames {
            self.due = None;
        }
        let frames = i64::try_from(frames).unwrap_or(i64::MAX);
        // all packets of a lace have the time of its first packet
        let is_laced = begun == self.begun && self.due.is_some();
        // in joined files times start again from 0: then the times before say nothing of this one
        let second = i64::from(rate_hz);
        let due = self
            .due
            .filter(|_| begun.saturating_add(second) >= self.begun);
        let (by_last, by_all) = due.unwrap_or((begun, begun));
        let leap = begun.saturating_sub(by_last.max(by_all));
        // Both times are rounded by less than a unit. Less than 20 ms is no lost packet.
        let least = (i64::from(rate_hz / 50) - unit + 1).max(2 * unit);
        let gap = match u64::try_from(leap) {
            Ok(gap) if leap >= least && gap <= most && !is_laced => gap,
            _ => 0,
        };
        let from = if is_laced { by_last } else { begun };
        let by_all = by_all.saturating_add_unsigned(gap).saturating_add(frames);
        self.due = Some((from.saturating_add(frames), by_all));
        self.begun = begun;
        gap
    }

    /// Frame at which a packet begins, and the frames in a unit of time.
    fn frame_of(&self, packet: &Packet, rate_hz: u32) -> Option<(i64, i64)> {
        let base = self.base?;
        let start = i64::try_from(packet.trim_start.get()).ok()?;
        let time = packet.pts.get().checked_add(start)?;
        if self.counts_frames {
            return Some((time, 1));
        }
        let in_second = i128::from(base.denom.get());
        let unit = i128::from(base.numer.get()) * i128::from(rate_hz);
        let frame = (i128::from(time) * unit).div_euclid(in_second);
        let unit = (unit + in_second - 1) / in_second;
        Some((i64::try_from(frame).ok()?, i64::try_from(unit).ok()?))
    }
}
