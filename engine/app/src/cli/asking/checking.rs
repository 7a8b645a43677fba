//! Checks of answers, claim by claim, and how they are told.

use crate::cli::terminal::{Terminal, Tint, many, plain};
use weir_core::answer::{AnswerCheck, CheckShares, CheckedClaim, Finding, Share};
use weir_core::text::Verdict;
use weir_engine::pipeline::Answered;
use weir_engine::results::ChecksResult;
use weir_loading::ModelSet;

/// The sum of what checks found in a run.
pub(crate) struct Checking {
    check: String,
    shares: CheckShares,
    not_checked: u64,
}

impl Checking {
    /// Nothing was found yet by the check of these models, if they have one.
    pub(crate) fn of(models: &ModelSet) -> Option<Self> {
        let check = models.check.as_ref()?;
        Some(Self {
            check: check.name().to_owned(),
            shares: CheckShares::default(),
            not_checked: 0,
        })
    }

    /// Counts the check of an answer.
    fn count(&mut self, answered: &Answered) {
        match &answered.check {
            Some(Ok(checked)) => self.shares += checked.shares,
            Some(Err(_)) => self.not_checked += 1,
            None => {}
        }
    }

    /// What it found so far.
    pub(crate) fn result(&self) -> ChecksResult {
        ChecksResult {
            check: self.check.clone(),
            shares: self.shares,
            not_checked: self.not_checked,
        }
    }
}

/// The check of an answer, counted; warns if the answer could not be checked.
pub(crate) fn of<'a>(
    answered: &'a Answered,
    run: Option<&mut Checking>,
    terminal: &mut Terminal,
) -> Option<&'a AnswerCheck> {
    if let Some(run) = run {
        run.count(answered);
    }
    match answered.check.as_ref()? {
        Ok(checked) => Some(checked),
        Err(error) => {
            terminal.warn(&format!("the answer is not checked: {error}"));
            None
        }
    }
}

/// The shares of an answer, then one line per claim that is not supported.
pub(crate) fn lines(checked: &AnswerCheck, terminal: &Terminal) -> Vec<String> {
    listed(checked, &shares_text(&checked.shares), terminal)
}

/// A check as a chat shows it: one short line, and one more for each claim that is not supported.
pub(crate) fn brief(checked: &AnswerCheck, terminal: &Terminal) -> Vec<String> {
    let CheckShares { found, cited, .. } = checked.shares;
    let (all, whole) = (found.of as u64, found.count == found.of);
    let shares = match cited.count == found.of {
        true if all == 1 => "its claim is supported".to_owned(),
        true => format!("all {all} claims are supported"),
        false if whole => format!(
            "{}, supported by what was found, {} by what is cited",
            many(all, "claim"),
            cited.count
        ),
        false => shares_text(&checked.shares),
    };
    listed(checked, &shares, terminal)
}

fn listed(checked: &AnswerCheck, shares: &str, terminal: &Terminal) -> Vec<String> {
    let mut lines = vec![format!("  checked by {}: {shares}", checked.check)];
    lines.extend(checked.claims.iter().flat_map(unsupported));
    let faint = |line: String| terminal.tint(Tint::Faint, &line);
    lines.into_iter().map(faint).collect()
}

/// The shares of all checked answers of a run, in one line.
pub(crate) fn summary_line(checks: &ChecksResult) -> String {
    let shares = shares_text(&checks.shares);
    let mut line = format!("answers checked by {}: {shares}", checks.check);
    if checks.not_checked > 0 {
        let failed = many(checks.not_checked, "answer");
        line.push_str(&format!("; {failed} not checked"));
    }
    line
}

fn shares_text(shares: &CheckShares) -> String {
    if shares.found.of == 0 {
        return "no claims".to_owned();
    }
    let of =
        |share: Share, thing: &str| format!("{} of {}", share.count, many(share.of as u64, thing));
    let mut line = format!(
        "{} supported by what was found, {} by what is cited; {} right",
        of(shares.found, "claim"),
        shares.cited.count,
        of(shares.references, "citation"),
    );
    if shares.persona.of > 0 {
        let agree = of(shares.persona, "claim");
        line.push_str(&format!("; {agree} true to what is known of that person"));
    }
    line
}

/// What is wrong with a claim.
fn unsupported(claim: &CheckedClaim) -> Vec<String> {
    let text = plain(&claim.claim.text);
    let against = |finding: &Finding, by: &str| {
        let said = finding.statement.as_deref().map(plain).unwrap_or_default();
        format!("  contradicted{by}: \"{text}\", but {said}")
    };
    let mut lines = Vec::new();
    match (claim.found.verdict, claim.cited.verdict) {
        (Verdict::Contradicted, _) => lines.push(against(&claim.found, "")),
        (Verdict::Neither, _) => lines.push(format!("  not supported: \"{text}\"")),
        (Verdict::Supported, Verdict::Supported) => {}
        (Verdict::Supported, _) => {
            lines.push(format!("  not supported by what is cited: \"{text}\""));
        }
    }
    if claim.persona.verdict == Verdict::Contradicted {
        lines.push(against(&claim.persona, " by what is known of that person"));
    }
    lines
}
