//! Figures of the server for Prometheus. No name of a session or a speaker is in them.

use crate::problem::Problem;
use crate::state::Shared;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const REQUESTS: &str = "weir_request_seconds";
const ASKED: &str = "weir_ask_step_seconds";
const HEARD: &str = "weir_utterances_total";
const UNANSWERED: &str = "weir_answers_declined_total";

/// From a tenth of a millisecond to ten seconds.
const BUCKETS: [f64; 16] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0,
];

/// The recorder of the process.
static RECORDER: OnceLock<Result<PrometheusHandle, BuildError>> = OnceLock::new();

fn recorder() -> Option<&'static PrometheusHandle> {
    let made = RECORDER.get_or_init(|| {
        PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)?
            .install_recorder()
    });
    made.as_ref()
        .inspect_err(|error| log::warn!("no figures: {error}"))
        .ok()
}

/// Begins to record, if the process does not yet.
pub(crate) fn begin() {
    recorder();
}

/// Keeps the histograms small; to be called from time to time.
pub(crate) fn tidy() {
    if let Some(recorder) = recorder() {
        recorder.run_upkeep();
    }
}

/// A request was replied to.
pub(crate) fn request(route: String, status: u16, took: Duration) {
    let labels = [("route", route), ("status", status.to_string())];
    histogram!(REQUESTS, &labels).record(took);
}

/// Utterances were heard.
pub(crate) fn heard(utterances: usize) {
    counter!(HEARD).increment(utterances as u64);
}

/// A question was answered, or declined.
pub(crate) fn answered(answer: &weir_api::ProbeResult) {
    let took = &answer.timings_us;
    for (step, micros) in [
        ("encode", took.encode),
        ("search", took.search),
        ("rerank", took.rerank),
        ("assemble", took.assemble),
        ("answer", took.answer),
        ("transcript", took.transcript),
        ("total", took.total),
    ] {
        histogram!(ASKED, "step" => step).record(Duration::from_micros(micros));
    }
    counter!(UNANSWERED).increment(u64::from(answer.abstained));
}

/// The route of the figures.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/metrics", get(figures))
}

async fn figures(State(server): State<Arc<Shared>>) -> Result<impl IntoResponse, Problem> {
    let recorder = recorder().ok_or_else(|| Problem::internal("no figures are recorded"))?;
    let held = server.sessions.held();
    gauge!("weir_open_sessions").set(held.sessions as f64);
    gauge!("weir_held_bytes").set(held.bytes as f64);
    for (kind, tokens) in [("tree", held.tree_tokens), ("sources", held.source_tokens)] {
        gauge!("weir_held_tokens", "kind" => kind).set(tokens as f64);
    }
    for (kind, nodes) in [
        ("scene", held.scenes),
        ("event", held.events),
        ("unit", held.units),
        ("belief", held.beliefs),
        ("fact", held.facts),
    ] {
        gauge!("weir_held", "kind" => kind).set(nodes as f64);
    }
    gauge!("weir_requests_working").set(server.working_now() as f64);
    Ok((
        [(CONTENT_TYPE, "text/plain; version=0.0.4")],
        recorder.render(),
    ))
}
