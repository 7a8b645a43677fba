//! What a session hears, as the items of OpenAI's realtime transcription: one for each utterance.
//!
//! Clients append what they get, so only words that are unlikely to change are sent as deltas; the
//! whole text at the end stands in their place. A delta may be of words that are said after the
//! end of its item, which is not known yet; then they are sent with the next item again.

use super::sentences::seconds;
use serde_json::{Value, json};
use std::collections::VecDeque;
use weir_api::{Event, Word};

/// Items of a connection whose words are not known yet; an older one has none then.
const OPEN_MAX: usize = 64;

/// The items of one connection.
#[derive(Debug, Default)]
pub(super) struct LiveItems {
    made: u64,
    /// Items whose transcript is not complete, oldest first; only the last may still be spoken.
    open: VecDeque<Item>,
    /// The item that was committed last.
    previous: Option<String>,
}

#[derive(Debug)]
struct Item {
    id: String,
    start_ms: u64,
    /// Where the voice ended.
    end_ms: Option<u64>,
    /// Words that were sent.
    words: Vec<Word>,
}

impl LiveItems {
    /// What is told of an event.
    pub(super) fn told(&mut self, event: &Event) -> Vec<Value> {
        match event {
            Event::Voice {
                speaks: true,
                at_ms,
                ..
            } => self.begin(*at_ms),
            Event::Voice { at_ms, .. } => self.stop(*at_ms),
            Event::Partial {
                start_ms,
                committed,
                tentative,
                ..
            } if !(committed.is_empty() && tentative.is_empty()) => self.begin(*start_ms),
            Event::Committed { words, .. } => self.add(words),
            Event::Utterance {
                start_ms,
                end_ms,
                text,
                ..
            } => self.end(*start_ms, *end_ms, text),
            Event::Unheard {
                start_ms, end_ms, ..
            } => self.end(*start_ms, *end_ms, ""),
            _ => Vec::new(),
        }
    }

    /// A whole item, of sound that the client ended.
    pub(super) fn whole(&mut self, said: &[String], ms: u64) -> Vec<Value> {
        let id = self.next_id();
        let mut told = vec![self.committed(&id)];
        for (at, sentence) in said.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            told.push(delta(&id, &format!("{space}{sentence}")));
        }
        told.push(completed(&id, &said.join(" "), ms));
        told
    }

    /// The client dropped what it sent: the open items end without words.
    pub(super) fn cleared(&mut self) -> Value {
        self.open.clear();
        json!({"type": "input_audio_buffer.cleared"})
    }

    /// The sound has ended: what is open has no words.
    pub(super) fn finish(&mut self) -> Vec<Value> {
        let end = self.open.back().map(|it| match it.words.last() {
            Some(word) => word.end_ms,
            None => it.start_ms,
        });
        let mut told = end.map_or_else(Vec::new, |end| self.stop(end));
        told.extend(self.without_words_before(u64::MAX));
        told
    }

    fn next_id(&mut self) -> String {
        self.made += 1;
        format!("item_{}", self.made)
    }

    fn committed(&mut self, id: &str) -> Value {
        let previous = self.previous.replace(id.to_owned());
        json!({"type": "input_audio_buffer.committed", "item_id": id,
            "previous_item_id": previous})
    }

    /// Whether the voice of the last item goes on, or it ended behind this place.
    fn has_open(&self, at_ms: u64) -> bool {
        let last = self.open.back();
        last.is_some_and(|it| it.end_ms.is_none_or(|end| at_ms < end))
    }

    fn begin(&mut self, start_ms: u64) -> Vec<Value> {
        if self.has_open(start_ms) {
            return Vec::new();
        }
        let mut told = match self.open.len() < OPEN_MAX {
            true => Vec::new(),
            false => self.without_words_before(start_ms),
        };
        let (item, started) = self.started(start_ms);
        self.open.push_back(item);
        told.push(started);
        told
    }

    fn started(&mut self, start_ms: u64) -> (Item, Value) {
        let id = self.next_id();
        let told = json!({"type": "input_audio_buffer.speech_started", "item_id": id,
            "audio_start_ms": start_ms});
        let item = Item {
            id,
            start_ms,
            end_ms: None,
            words: Vec::new(),
        };
        (item, told)
    }

    /// The voice of the last item ends.
    fn stop(&mut self, end_ms: u64) -> Vec<Value> {
        match self.open.pop_back() {
            Some(mut item) => {
                let told = self.stopped(&mut item, end_ms);
                self.open.push_back(item);
                told
            }
            None => Vec::new(),
        }
    }

    fn stopped(&mut self, item: &mut Item, end_ms: u64) -> Vec<Value> {
        if item.end_ms.is_some() {
            return Vec::new();
        }
        item.end_ms = Some(end_ms.max(item.start_ms));
        let stopped = json!({"type": "input_audio_buffer.speech_stopped", "item_id": item.id,
            "audio_end_ms": end_ms});
        vec![stopped, self.committed(&item.id)]
    }

    fn add(&mut self, words: &[Word]) -> Vec<Value> {
        let Some(first) = words.first() else {
            return Vec::new();
        };
        let mut told = self.begin(first.start_ms);
        let mut items = self.open.iter_mut().rev();
        if let Some(item) = items.find(|it| it.start_ms <= first.start_ms) {
            let space = if item.words.is_empty() { "" } else { " " };
            let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            told.push(delta(&item.id, &format!("{space}{}", text.join(" "))));
            item.words.extend_from_slice(words);
        }
        told
    }

    /// Items whose voice ended before this place have no words.
    fn without_words_before(&mut self, at_ms: u64) -> Vec<Value> {
        let mut told = Vec::new();
        while let Some(item) = self
            .open
            .pop_front_if(|it| it.end_ms.is_some_and(|it| it < at_ms))
        {
            told.push(completed(
                &item.id,
                "",
                item.end_ms.unwrap_or(0) - item.start_ms,
            ));
        }
        told
    }

    /// The words of an item are known. One voice may say several utterances: those behind the first
    /// are items of their own.
    fn end(&mut self, start_ms: u64, end_ms: u64, text: &str) -> Vec<Value> {
        let mut told = self.without_words_before(start_ms);
        let mut item = match self.open.pop_front_if(|it| it.start_ms < end_ms) {
            Some(item) => item,
            // in no item is a noise
            None if text.is_empty() => return told,
            None => {
                let (item, started) = self.started(start_ms);
                told.push(started);
                item
            }
        };
        told.extend(self.stopped(&mut item, end_ms));
        let Item { id, words, .. } = item;
        if words.is_empty() && !text.is_empty() {
            // recognised before any word could be shown
            told.push(delta(&id, text));
        }
        told.push(completed(&id, text, end_ms.saturating_sub(start_ms)));
        // words of what is said next were sent with this item
        let behind = words.iter().position(|word| word.start_ms >= end_ms);
        if let Some(behind) = behind.filter(|_| !text.is_empty()) {
            told.extend(self.add(&words[behind..]));
        }
        told
    }
}

fn delta(id: &str, text: &str) -> Value {
    json!({"type": "conversation.item.input_audio_transcription.delta", "item_id": id,
        "content_index": 0, "delta": text})
}

fn completed(id: &str, text: &str, ms: u64) -> Value {
    json!({"type": "conversation.item.input_audio_transcription.completed", "item_id": id,
        "content_index": 0, "transcript": text,
        "usage": {"type": "duration", "seconds": seconds(ms)}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, start_ms: u64) -> Word {
        let end_ms = start_ms + 100;
        Word {
            text: text.into(),
            start_ms,
            end_ms,
        }
    }

    fn said(start_ms: u64, end_ms: u64, text: &str) -> Event {
        Event::Utterance {
            id: "u1".into(),
            stream: "s".into(),
            speaker: None,
            start_ms,
            end_ms,
            confidence: None,
            text: text.into(),
        }
    }

    fn committed(words: &[Word]) -> Event {
        Event::Committed {
            stream: "s".into(),
            speaker: None,
            words: words.to_vec(),
        }
    }

    /// Kind, item and text of each.
    fn short(told: &[Value]) -> Vec<String> {
        let one = |it: &Value| {
            let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
            let kind = text("type")
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .to_owned();
            let text = text("delta") + &text("transcript");
            format!("{kind} {} {text}", it["item_id"].as_str().unwrap_or("-"))
        };
        told.iter().map(one).collect()
    }

    #[test]
    fn an_item_is_an_utterance_and_words_of_the_next_one_are_sent_with_it_too() {
        let mut items = LiveItems::default();
        let told = items.told(&committed(&[word("Good", 100)]));
        assert_eq!(
            short(&told),
            ["speech_started item_1 ", "delta item_1 Good"]
        );
        let told = items.told(&committed(&[word("morning.", 300), word("The", 900)]));
        assert_eq!(short(&told), ["delta item_1  morning. The"]);
        let told = items.told(&said(100, 400, "Good morning."));
        let expected = [
            "speech_stopped item_1 ",
            "committed item_1 ",
            "completed item_1 Good morning.",
            "speech_started item_2 ",
            "delta item_2 The",
        ];
        assert_eq!(short(&told), expected);
        assert_eq!(told[1]["previous_item_id"], Value::Null);
        let told = items.told(&said(900, 1_500, "The key."));
        assert_eq!(short(&told)[2], "completed item_2 The key.");
        assert_eq!(told[1]["previous_item_id"], "item_1");
        assert_eq!(told[2]["usage"]["seconds"], 0.6);
        let told = items.told(&said(2_000, 2_500, "Thanks."));
        assert_eq!(
            short(&told)[3..],
            ["delta item_3 Thanks.", "completed item_3 Thanks."]
        );
    }

    #[test]
    fn a_voice_is_told_before_its_words_and_each_finds_its_item() {
        let mut items = LiveItems::default();
        let voice = |speaks: bool, at_ms: u64| Event::Voice {
            stream: "s".into(),
            speaks,
            at_ms,
        };
        let mut told = |event: Event| short(&items.told(&event));
        assert_eq!(told(voice(true, 0)), ["speech_started item_1 "]);
        assert_eq!(told(committed(&[word("The", 200)])), ["delta item_1 The"]);
        let stopped = ["speech_stopped item_1 ", "committed item_1 "];
        assert_eq!(told(voice(false, 900)), stopped);
        // a click, then somebody goes on before the words are known
        assert_eq!(told(voice(true, 1_000)), ["speech_started item_2 "]);
        assert_eq!(told(voice(false, 1_100)).len(), 2);
        assert_eq!(told(voice(true, 1_600)), ["speech_started item_3 "]);
        assert_eq!(
            told(said(200, 500, "The key.")),
            ["completed item_1 The key."]
        );
        // the same voice said more
        let more = [
            "speech_started item_4 ",
            "speech_stopped item_4 ",
            "committed item_4 ",
            "delta item_4 Thanks.",
            "completed item_4 Thanks.",
        ];
        assert_eq!(told(said(600, 890, "Thanks.")), more);
        assert_eq!(told(voice(false, 2_400)).len(), 2);
        let last = [
            "completed item_2 ", "delta item_3 Good.", "completed item_3 Good.",
        ];
        assert_eq!(told(said(2_000, 2_300, "Good.")), last);
        told(voice(true, 3_000));
        let ended = [
            "speech_stopped item_5 ", "committed item_5 ", "completed item_5 ",
        ];
        assert_eq!(short(&items.finish()), ended);
    }

    #[test]
    fn what_was_no_speech_ends_its_item_without_words() {
        let mut items = LiveItems::default();
        let noise = Event::Unheard {
            stream: "s".into(),
            start_ms: 0,
            end_ms: 500,
            why: "noise".into(),
        };
        assert_eq!(items.told(&noise), [] as [Value; 0]);
        items.told(&committed(&[word("Uh", 100)]));
        assert_eq!(
            short(&items.told(&noise)).last().map(String::as_str),
            Some("completed item_1 ")
        );
        let whole = items.whole(&["One.".into(), "Two.".into()], 900);
        let expected = [
            "committed item_2 ",
            "delta item_2 One.",
            "delta item_2  Two.",
            "completed item_2 One. Two.",
        ];
        assert_eq!(short(&whole), expected);
    }
}
