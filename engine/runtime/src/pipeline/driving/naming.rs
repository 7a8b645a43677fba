//! Names that speakers get while a run goes on: given by the user, or recognised by voice.

use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::error::PipelineError;
use crate::pipeline::feed::Notice;
use weir_core::driver::{Driver, DriverError, TakesInputs as _};
use weir_core::session::{InputError, SpeakerChange};
use weir_core::transcript::Transcript;

/// Applies a change of names; returns what to tell the user. A refused change is no error.
pub(crate) fn change_speaker(
    driver: &mut Driver<SessionWriter>,
    change: SpeakerChange,
) -> Result<Notice, PipelineError> {
    let told = change.to_string();
    let transcript = driver.inner().transcript();
    let transcript = transcript.as_deref().map(|it| it as &dyn Transcript);
    let input = match driver.naming(change, transcript) {
        Ok(input) => input,
        Err(DriverError::Input(InputError::Speaker(refused))) => {
            return Ok(Notice::Warning(refused.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    match driver.inner_mut().apply(input) {
        Ok(_) => Ok(Notice::Note(told)),
        Err(refused) => Ok(Notice::Warning(refused.to_string())),
    }
}

/// Gives a recognised voice its name, unless the user gave it one.
pub(crate) fn recognised(
    driver: &mut Driver<SessionWriter>,
    label: &str,
    name: &str,
) -> Result<Option<Notice>, PipelineError> {
    let change = driver.session().recognising(label, name);
    let change = change.map(|change| change_speaker(driver, change));
    change.transpose()
}
