//! `weir serve` ends in order while it hears.

use crate::cli_support::Place;
use crate::serving::{Serving, json_at};
use std::time::{Duration, Instant};
use weir_fixtures::spoken_dir;

/// A recording of many minutes, more than a server hears while it ends.
fn long_recording(place: &Place) -> std::path::PathBuf {
    let mut said =
        hound::WavReader::open(spoken_dir().join("kitchen-table-1.wav")).expect("it is WAV");
    let path = place.path("long.wav");
    let mut long = hound::WavWriter::create(&path, said.spec()).expect("it can be written");
    let samples: Vec<i16> = said.samples().map(|it| it.expect("it is whole")).collect();
    for sample in samples.iter().cycle().take(10 * samples.len()) {
        long.write_sample(*sample).expect("it can be written");
    }
    long.finalize().expect("it can be written");
    path
}

fn lines(session: &str) -> usize {
    let lines = json_at(&format!("{session}/transcript?limit=1000"));
    lines.as_array().map_or(0, Vec::len)
}

#[test]
fn a_server_that_hears_a_long_recording_ends_in_order_and_says_so() {
    let place = Place::new();
    let long = long_recording(&place);
    let serving = Serving::of(&place, &[]);
    let session = format!("{}/v1/sessions/home", serving.address);
    let made = ureq::put(&session).header("content-type", "application/json");
    made.send("{}").expect("it is made");
    let to = format!("{session}/recordings?name=long");
    let sending = std::thread::spawn(move || {
        let file = std::fs::File::open(long).expect("it was written");
        ureq::post(to).send(file).map(|it| it.status().as_u16())
    });
    let began = Instant::now();
    while lines(&session) == 0 {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "nothing is heard"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let heard = lines(&session);
    // this fails unless the server ends with success
    drop(serving);
    let told = sending.join().expect("it does not panic");
    assert!(
        told.is_err(),
        "a part was heard, and the reply was {told:?}"
    );
    let serving = Serving::of(&place, &[]);
    let session = format!("{}/v1/sessions/home", serving.address);
    assert!(lines(&session) >= heard);
}
