//! Tests of routes.

use super::*;
use proptest::prelude::*;

fn check(text: &str, retrieve: bool, demand: Option<Demand<'_>>) {
    let route = Route::of(text);
    assert_eq!((route.retrieve, route.demand), (retrieve, demand), "{text}");
}

#[test]
fn a_command_begins_with_its_verb() {
    for text in [
        "Turn on the light.",
        "Please close the shutters!",
        "Lena, play some music.",
        "Stop the timer. Start it again.",
    ] {
        assert!(Route::of(text).command, "{text}");
    }
    for text in [
        "The light is on.",
        "I turn off the light at nine.",
        "Love this kitchen!",
        "The spare key is under the fern.",
        "Turn left, I said. Nobody listened.",
        "",
    ] {
        assert!(!Route::of(text).command, "{text}");
    }
}

#[test]
fn what_is_asked_is_searched_for() {
    check("I moved to Porto, where do you live?", true, None);
    check("My brother starts school on Monday.", false, None);
    check("The gate closes at nine.", false, None);
    check("Where did I park?", true, None);
    check("Tell me what I said about the garden.", true, None);
    check("I don't like running, right?", true, None);
    check(
        "Jamie loves seafood. Can you find a restaurant?",
        true,
        None,
    );
    check("Why?", true, None);
    check("Who spoke?", true, None);
}

#[test]
fn small_talk_goes_nowhere() {
    for text in [
        "Hey, how are you?",
        "Thanks, Ana! You're the best.",
        "Wow, that's awesome! Keep it up!",
        "What have you been up to lately?",
        "Love brings joy, huh?",
        "Can I talk to you?",
        "Really?",
        "Who cares?",
        "Why not?",
        "Forget it, never mind.",
        "Don't forget to take breaks.",
        "",
        "!?",
    ] {
        check(text, false, None);
    }
}

#[test]
fn demands_say_what_they_are_about() {
    let code = Demand::Remember("my locker code is 4711");
    check("Remember that my locker code is 4711.", false, Some(code));
    check(
        "Could you please remember my locker code is 4711?",
        false,
        Some(code),
    );
    check(
        "For future reference, my locker code is 4711.",
        false,
        Some(code),
    );
    check(
        "My locker code is 4711, remember that.",
        false,
        Some(Demand::Remember("My locker code is 4711")),
    );
    check(
        "Forget that I live in Rome.",
        false,
        Some(Demand::Forget("I live in Rome")),
    );
    check(
        "Can you forget my old address?",
        false,
        Some(Demand::Forget("my old address")),
    );
    check("Please delete that.", false, Some(Demand::Forget("that")));
    check(
        "Erase everything I said about Bob.",
        false,
        Some(Demand::Forget("everything I said about Bob")),
    );
}

#[test]
fn words_of_memory_alone_demand_nothing() {
    check("Do you remember where I parked?", true, None);
    let field = "Finally, do you remember the career field I told you I work in?";
    check(field, true, None);
    check("I forgot my umbrella on the train.", false, None);
    check("I will never forget our wedding in Prague.", false, None);
    check(
        "We had to erase the whole wall and paint it again.",
        false,
        None,
    );
    check("What did I forget at the hotel?", true, None);
}

proptest! {
    #[test]
    fn any_text_has_a_route_and_a_demand_is_a_part_of_it(text in ".{0,80}") {
        if let Some(Demand::Remember(about) | Demand::Forget(about)) = Route::of(&text).demand {
            prop_assert!(text.contains(about) && !about.is_empty());
        }
    }

    #[test]
    fn a_demand_may_stand_anywhere(
        words in prop::collection::vec(prop::sample::select(vec![
            "remember", "that", "forget", "please", "can", "you", "my", "code", "is", "I", "don't",
            "delete", "from", "memory", "what", "said", ".", ",", "?", "\"", "’", "this", "note",
        ]), 0..14),
    ) {
        let text = words.join(" ");
        if let Some(Demand::Remember(about) | Demand::Forget(about)) = Route::of(&text).demand {
            prop_assert!(text.contains(about) && !about.is_empty());
        }
    }
}
