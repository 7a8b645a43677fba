//! How fast a generator reads a prompt and writes a reply: `generator_speed MODEL THREADS`.
//!
//! Prints tokens per second of prompt and of reply for each of three rounds. The model is loaded
//! once; nothing is reused between rounds. `scripts/generator/speed.py` compares with llama.cpp.
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::time::Instant;

use weir_models::{Flow, Generate, Generator, GeneratorOptions, Message, Request, Role};

/// Tokens of reply.
const REPLY: usize = 64;
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(threads)) = (args.next(), args.next()) else {
        return Err("usage: generator_speed MODEL THREADS".into());
    };
    let options = GeneratorOptions {
        threads: threads.parse()?,
        context_tokens: 1024,
        ..GeneratorOptions::default()
    };
    let mut model = Generator::load(path, options)?;
    for round in 0..ROUNDS {
        // Another beginning each time, so that nothing is reused.
        let text = format!(
            "Story {round}. Go on with it at length. {}",
            "The boat went out before dawn and came back late with empty nets. ".repeat(14)
        );
        let system = Message::new(Role::System, format!("{round} You tell stories."));
        let asked = Request::new(vec![system, Message::new(Role::User, text)], REPLY);
        let (begin, mut read) = (Instant::now(), None);
        let mut calls = 0;
        let prompt_calls = model.prompt_tokens(&asked.messages)?.len().div_ceil(128);
        let reply = model.generate(&asked, &mut |_| {
            calls += 1;
            if calls <= prompt_calls {
                read = Some(Instant::now());
            }
            Flow::On
        })?;
        let read = read.ok_or("nothing was read")?;
        let prompt = (reply.prompt_tokens - reply.reused_tokens) as f64;
        let prefill = prompt / (read - begin).as_secs_f64();
        // The first token's logits came with the prompt.
        let decode = (reply.reply_tokens.max(2) - 1) as f64 / read.elapsed().as_secs_f64();
        println!(
            "prompt {} prefill {prefill:.1} reply {} decode {decode:.1}",
            reply.prompt_tokens, reply.reply_tokens
        );
    }
    Ok(())
}
