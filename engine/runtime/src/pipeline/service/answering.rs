//! The threads that answer questions, each from the snapshot of the moment it begins.

use crate::index::{FactIndex, VectorIndex};
use crate::pipeline::driving::indexing::Indexing;
use crate::pipeline::driving::meters::Meters;
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::transcript::SharedTranscript;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::pipeline::service::ask::{
    Answered, AskSettings, AskWatch, Asker, Indexes, Learn, SessionView,
};
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::handle::Door;
use crate::pipeline::service::messages::{AnswerTo, Command, Question, StageEnd, Waiting};
use crate::pipeline::service::subscribers::Announcer;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use weir_core::answer::Draft;
use weir_core::memory::NearestUnits;
use weir_core::profile::NearestFacts;

/// What all these threads share.
pub(crate) struct Answerers {
    pub(crate) door: Arc<Door>,
    pub(crate) asker: Asker,
    pub(crate) settings: AskSettings,
    pub(crate) transcript: Option<Arc<SharedTranscript>>,
    pub(crate) stop: Stop,
    pub(crate) indexes: Mutex<(Indexing<VectorIndex>, Indexing<FactIndex>)>,
    /// How many of them have not ended.
    pub(crate) left: AtomicUsize,
    /// Measurements of all their questions.
    pub(crate) meters: Mutex<Meters>,
}

/// One of the threads.
pub(crate) struct AnswerStage {
    pub(crate) shared: Arc<Answerers>,
    pub(crate) questions: Receiver<Waiting>,
    pub(crate) commands: Sender<Command>,
    pub(crate) announcer: Announcer,
}

impl AnswerStage {
    pub(crate) fn run(self) -> Result<StageEnd, PipelineError> {
        let _ended = crate::pipeline::driving::worker::OnEnd(|| {
            if self.shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.shared.door.answerers_ended.end(&self.questions);
            }
            // the owner waits for it, and may have ended before
            let _ = self.commands.send(Command::AnswererEnded);
        });
        for waiting in &self.questions {
            match waiting {
                Waiting::Question(question) => self.answer(*question),
                Waiting::Dismissed => break,
            }
        }
        Ok(StageEnd::Nothing)
    }

    fn answer(&self, question: Question) {
        let shared = &self.shared;
        // who interrupts a run waits for no question that is not begun; a run that resumes asks it
        let is_of_run = matches!(question.to, AnswerTo::Run);
        if question.given_up.load(Ordering::Relaxed) || is_of_run && shared.stop.is_interrupted() {
            return;
        }
        let settings = question.settings.as_deref().unwrap_or(&shared.settings);
        let session = Arc::clone(&shared.door.snapshot.read());
        let (units, facts) = {
            let (units, facts) = &mut *shared.indexes.lock();
            (units.index(&session), facts.index(&session))
        };
        let of = SessionView {
            session: &session,
            indexes: Indexes {
                units: units.as_deref().map(|it| it as &dyn NearestUnits),
                facts: facts.as_deref().map(|it| it as &dyn NearestFacts),
            },
            transcript: shared.transcript.as_deref(),
        };
        // an asker that does not read in time gets the next text, which is longer
        let mut on_draft = |draft: &Draft<'_>| {
            if let Some(texts) = question.texts.as_ref().filter(|it| !it.is_full())
                && let Some(text) = draft.text()
            {
                let _ = texts.try_send(text);
            }
        };
        let watch = AskWatch {
            given_up: Some(&question.given_up),
            on_draft: Some(&mut on_draft),
        };
        let asking = &question.asking;
        let done = match shared.asker.ask_watched(of, asking, settings, watch) {
            Ok(mut answered) => {
                let unsettled = shared.door.unsettled.lock();
                answered.unrecognised_ms = unsettled.iter().map(Unsettled::ms).sum();
                drop(unsettled);
                answered.waited = question.waited;
                shared.meters.lock().count_question(&answered);
                if settings.learn == Learn::Yes {
                    self.learn(&answered);
                }
                Ok(answered)
            }
            Err(error) => Err(ServiceError::from(error)),
        };
        self.deliver(question, done);
    }

    /// Records the access. An answer never waits for memory: when memory is busy, its access is
    /// not recorded.
    fn learn(&self, answered: &Answered) {
        let Some(access) = answered.recall.access_input(&answered.answer) else {
            return;
        };
        let access = Command::Access(Box::new(access));
        if self.commands.try_send(access).is_err() {
            let id = &answered.asking.id;
            log::info!("memory is busy: the access of {id} is not recorded");
        }
    }

    fn deliver(&self, question: Question, done: Result<Answered, ServiceError>) {
        let id = question.asking.id;
        let event = |done: Result<Answered, ServiceError>| match done {
            Ok(answered) => Event::Answered(Box::new(answered)),
            Err(error) => Event::Unanswered {
                id,
                why: error.to_string(),
            },
        };
        match question.to {
            AnswerTo::Run => self.announcer.tell(event(done)),
            AnswerTo::Client(client) => {
                self.announcer.subscribers.tell(&event(done.clone()));
                // ignore a client that no longer waits
                let _ = client.send(done);
            }
        }
    }
}
