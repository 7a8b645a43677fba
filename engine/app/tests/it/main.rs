//! The tests of the program `weir` as its users run it, in one test binary to save linking time.

mod cli_bad_input;
mod cli_chat;
mod cli_check;
mod cli_hearing;
mod cli_help;
mod cli_import;
mod cli_known;
mod cli_languages;
mod cli_live;
mod cli_memory;
mod cli_models;
mod cli_nothing;
mod cli_private;
mod cli_replay;
#[cfg(unix)]
mod cli_resume;
mod cli_screen;
mod cli_serve;
mod cli_source;
mod cli_speakers;
mod cli_support;
mod cli_terms;
mod cli_time;
#[cfg(unix)]
mod cli_tools;
mod cli_transcript;
mod page;
mod serve_ending;
mod serving;
mod spoken_demo;
