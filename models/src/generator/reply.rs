//! Generates a reply, token by token.

use std::sync::Arc;

use candle_core::{Device, Tensor};
use candle_transformers::generation::{self, LogitsProcessor};

use super::constraint::{Choice, Constraint};
use super::decoder::Wanted;
use super::shape::Program;
use super::stream::Stream;
use super::trie::{Mask, TokenIndex};
use super::{CHUNK_TOKENS, Generator};
use crate::think_filter::ThinkFilter;
use crate::{Ended, Flow, Generate, GenerateError, Generated, Request, Sampling, Shape};

impl Generate for Generator {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_tokens(&self) -> usize {
        self.decoder.positions()
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        if request.messages.is_empty() {
            return Err(self.refused("there is no message".to_owned()));
        }
        let program = match &request.shape {
            Shape::Text => None,
            Shape::Json(shape) => Some(Program::new(shape).map_err(|r| self.refused(r))?),
        };
        let prompt = self.prompt_tokens(&request.messages)?;
        if prompt.is_empty() {
            return Err(self.refused("its chat template made nothing of the messages".to_owned()));
        }
        self.check_length(prompt.len().saturating_add(request.tokens_max))?;
        let (reused, logits) = self.read_prompt(&prompt, on_piece)?;
        let generated = Generated {
            text: String::new(),
            prompt_tokens: prompt.len(),
            reused_tokens: reused,
            reply_tokens: 0,
            ended: Ended::Stopped,
        };
        let Some(logits) = logits else {
            return Ok(generated);
        };
        let spoken = match &request.shape {
            Shape::Text if ThinkFilter::is_begun_by(&self.prompt(&request.messages)?) => {
                Some(ThinkFilter::in_thought())
            }
            Shape::Text => Some(ThinkFilter::default()),
            // Its texts contain no reasoning.
            Shape::Json(_) => None,
        };
        let constraint = program.map(|program| {
            let tokens = self.vocabulary.bytes().clone();
            Constraint::new(program, self.token_index(), tokens)
        });
        let sampler = request.sampling.map(|it| {
            let Sampling {
                temperature,
                top_p: p,
                seed,
            } = it;
            LogitsProcessor::from_sampling(seed, generation::Sampling::TopP { p, temperature })
        });
        let reply = Reply {
            sampler,
            generator: self,
            request,
            constraint,
            spoken,
            logits,
        };
        reply.run(generated, on_piece)
    }
}

impl Generator {
    /// Reads the part of the prompt that is not cached. Returns the number of cached tokens and the
    /// logits after the last token; none if the listener stopped the work.
    fn read_prompt(
        &mut self,
        prompt: &[u32],
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<(usize, Option<Vec<f32>>), GenerateError> {
        let same = prompt.iter().zip(&self.read).take_while(|(a, b)| a == b);
        // The last token is read again for its logits.
        let reused = same.count().min(prompt.len() - 1);
        self.forget(reused);
        let mut logits = Vec::new();
        let mut rest = &prompt[reused..];
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(CHUNK_TOKENS.min(rest.len()));
            let wanted = if after.is_empty() {
                Wanted::Last
            } else {
                Wanted::None
            };
            logits = self.take(chunk, wanted)?;
            rest = after;
            if on_piece("") == Flow::Stop {
                return Ok((reused, None));
            }
        }
        Ok((reused, Some(logits)))
    }

    /// The vocabulary prepared for shapes, made when the first shape is requested.
    fn token_index(&mut self) -> Arc<TokenIndex> {
        let tokens = self.vocabulary.bytes();
        let index = self
            .index
            .get_or_insert_with(|| Arc::new(TokenIndex::new(tokens)));
        index.clone()
    }
}

/// A reply that is being written.
struct Reply<'a> {
    generator: &'a mut Generator,
    request: &'a Request,
    constraint: Option<Constraint>,
    /// Draws the tokens; `None` takes the most probable ones.
    sampler: Option<LogitsProcessor>,
    /// The output filter, until the reply begins.
    spoken: Option<ThinkFilter>,
    /// Logits after the last token.
    logits: Vec<f32>,
}

impl Reply<'_> {
    fn run(
        mut self,
        mut generated: Generated,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let mut stream = Stream::new(self.spoken.take());
        generated.ended = loop {
            let left = self.request.tokens_max - generated.reply_tokens;
            let Some(token) = self.choose(left)? else {
                break Ended::Done;
            };
            let Some(token) = token else {
                break Ended::TokensMax;
            };
            generated.reply_tokens += 1;
            let bytes = &self.generator.vocabulary.bytes()[token as usize];
            if on_piece(&stream.push(bytes)) == Flow::Stop {
                break Ended::Stopped;
            }
            let is_closed = self.constraint.as_ref().is_some_and(Constraint::is_closed);
            let needs_logits = left > 1 && !is_closed;
            let is_settled = self.constraint.as_ref().is_some_and(Constraint::is_settled);
            if needs_logits && !is_settled {
                self.logits = self.generator.take(&[token], Wanted::Last)?;
            }
        };
        let (rest, text) = stream.finish();
        if !rest.is_empty() {
            on_piece(&rest);
        }
        generated.text = text;
        if self.constraint.is_some() && generated.ended == Ended::TokensMax {
            return Err(self.unfinished());
        }
        Ok(generated)
    }

    /// The next token; `Some(None)` if the tokens ran out, `None` at the end of the reply.
    fn choose(&mut self, left: usize) -> Result<Option<Option<u32>>, GenerateError> {
        let Self {
            generator,
            constraint,
            sampler,
            logits,
            ..
        } = self;
        // Rows beyond the tokens are padding.
        let known = generator.vocabulary.bytes().len().min(logits.len());
        let (logits, ends) = (&logits[..known], generator.vocabulary.ends());
        let nothing = || generator.failed("no token has a logit that is a number".to_owned());
        match constraint {
            Some(constraint) => {
                if constraint.is_closed() {
                    return Ok(None);
                }
                // The shape could be completed without any token of the model.
                let is_number = |logit: &f32| *logit > f32::NEG_INFINITY;
                if !constraint.is_settled() && !logits.iter().any(is_number) {
                    return Err(nothing());
                }
                let pick = |mask: &_| likeliest(logits, Some(mask));
                Ok(match constraint.choose(left, ends, pick) {
                    Choice::Token(token) => Some(Some(token)),
                    Choice::End => None,
                    Choice::NoWay => Some(None),
                })
            }
            None if left == 0 => Ok(Some(None)),
            None => {
                let likeliest = likeliest(logits, None).ok_or_else(nothing)?;
                let token = match sampler {
                    Some(sampler) => Tensor::new(logits, &Device::Cpu)
                        .and_then(|logits| sampler.sample(&logits))
                        .map_err(|error| generator.failed(error.to_string()))?,
                    None => likeliest,
                };
                Ok((!ends.contains(&token)).then_some(Some(token)))
            }
        }
    }

    fn unfinished(&self) -> GenerateError {
        GenerateError::Unfinished {
            model: self.generator.name.clone(),
            tokens: self.request.tokens_max,
        }
    }
}

/// The most probable token of `mask`, or of all without a mask; `None` if every logit is NaN.
pub(super) fn likeliest(logits: &[f32], mask: Option<&Mask>) -> Option<u32> {
    let allowed = (0_u32..).zip(logits).filter(|(id, logit)| {
        // Some models forbid a token with a logit of minus infinity.
        **logit > f32::NEG_INFINITY && mask.is_none_or(|mask| mask.has(*id))
    });
    let allowed = allowed.map(|(id, &logit)| (id, logit));
    let better = |best: (u32, f32), next: (u32, f32)| if next.1 > best.1 { next } else { best };
    allowed.reduce(better).map(|(id, _)| id)
}
