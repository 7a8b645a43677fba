//! Measures how fast a generator reads a prompt and writes a reply: `generator_speed MODEL
//! [DEVICE]`. `RAYON_NUM_THREADS` sets the number of threads.
//!
//! Prints tokens per second of prompt, of reply, and of a JSON reply, for each of three rounds. The
//! model is loaded once. Nothing is reused between rounds; within a round the JSON reply reuses the
//! prompt. `scripts/generator/speed.py` compares with llama.cpp.
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::time::Instant;

use weir_models::{
    DeviceChoice, Flow, Generate, GenerateError, Generator, GeneratorOptions, JsonShape, Message,
    Request, Role, Shape,
};

/// Tokens of the reply.
const REPLY: usize = 64;
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args
        .next()
        .ok_or("usage: generator_speed MODEL [cpu|cuda|metal]")?;
    let device: DeviceChoice = args.next().unwrap_or("cpu".to_owned()).parse()?;
    let options = GeneratorOptions {
        context_tokens: 1024,
        device,
        ..GeneratorOptions::default()
    };
    let mut model = Generator::load(path, options)?;
    for round in 0..ROUNDS {
        // Another start each time, so that nothing is reused.
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
        let json = json_rate(&mut model, asked)?;
        println!(
            "prompt {} prefill {prefill:.1} reply {} decode {decode:.1} json {json:.1}",
            reply.prompt_tokens, reply.reply_tokens
        );
    }
    Ok(())
}

/// Tokens per second of a reply that is a list of texts, after a cached prompt.
fn json_rate(model: &mut Generator, mut asked: Request) -> Result<f64, GenerateError> {
    let item = Box::new(JsonShape::String { chars_max: 160 });
    let items_max = 8;
    asked.shape = Shape::Json(JsonShape::Array { item, items_max });
    asked.tokens_max = 4 * REPLY;
    let begin = Instant::now();
    let reply = model.generate(&asked, &mut |_| Flow::On)?;
    Ok(reply.reply_tokens as f64 / begin.elapsed().as_secs_f64())
}
