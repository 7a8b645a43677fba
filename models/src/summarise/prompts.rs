//! ProStream's two prompts for its summariser, word for word (appendix B.2).

/// The prompt that summarises a piece of dialogue as an event (the paper's rho_evt).
///
/// `speakers` is inserted as given, joined by commas.
#[must_use]
pub fn event_prompt(speakers: &[&str], text: &str) -> String {
    let speakers = speakers.join(", ");
    format!(
        "Summarize this conversation in one short phrase describing what happened.\n\
         Speakers: {speakers}.\n\
         Event phrase: {text}"
    )
}

/// The prompt that abstracts an event to a scene (the paper's rho_scn).
#[must_use]
pub fn scene_prompt(event: &str) -> String {
    format!(
        "Abstract this specific event into a broader, more general scene category (e.g., 'Work \
         Discussion', 'Social Chat', 'Learning Session').\n\
         The scene should be a higher-level category that could contain multiple similar events.\n\
         Event: {event}\n\
         Scene category (broader abstraction):"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_the_papers() {
        let event = event_prompt(&["Anna", "Tom"], "Anna: The boat is sold.");
        assert_eq!(
            event,
            concat!(
                "Summarize this conversation in one short phrase describing what happened.",
                "\nSpeakers: Anna, Tom.",
                "\nEvent phrase: Anna: The boat is sold.",
            )
        );
        let scene = scene_prompt("Anna sold the boat");
        let lines: Vec<&str> = scene.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            lines[0],
            concat!(
                "Abstract this specific event into a broader, more general scene category ",
                "(e.g., 'Work Discussion', 'Social Chat', 'Learning Session').",
            )
        );
        assert_eq!(
            lines[1],
            concat!(
                "The scene should be a higher-level category that could contain ",
                "multiple similar events.",
            )
        );
        assert_eq!(lines[2], "Event: Anna sold the boat");
        assert_eq!(lines[3], "Scene category (broader abstraction):");
    }
}
