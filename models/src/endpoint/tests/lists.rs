//! The list of a server's models.

use super::super::{Checked, ServedModel};
use super::*;

fn checked(act: Act) -> Result<Checked, EndpointError> {
    let server = Server::start(&[act]);
    let checked = endpoint(options(&server)).check();
    assert_eq!(server.paths(), ["/v1/models"]);
    checked
}

#[test]
fn models_and_their_contexts_are_listed() {
    let list = r#"{"object":"list","data":[{"id":"a","max_model_len":1000},
        {"id":"b","meta":{"n_ctx_train":131072,"n_ctx":2048}},{"id":"c","meta":{"n_ctx_train":512}},
        {"id":"d"},{"no":"id"},{"id":"bad\u0000name"}]}"#;
    let server = Server::start(&[Act::Raw(list)]);
    let models = endpoint(options(&server)).list_models().expect("a list");
    let expected = [
        ("a", Some(1000)),
        ("b", Some(2048)),
        ("c", Some(512)),
        ("d", None),
    ];
    let expected = expected.map(|(name, context_tokens)| ServedModel {
        name: name.to_owned(),
        context_tokens,
    });
    assert_eq!(models, expected);
}

#[test]
fn a_server_with_the_model_is_fine() {
    let list = r#"{"data":[{"id":"other"},{"id":"tiny","max_model_len":77}]}"#;
    let found = checked(Act::Raw(list)).expect("it has it");
    assert_eq!((found.names.len(), found.context_tokens), (2, 77));
    // Ollama's notation for a model without a tag
    let found = checked(Act::Raw(r#"{"data":[{"id":"tiny:latest"}]}"#)).expect("it has it");
    assert_eq!(found.context_tokens, 4096);
    let server = Server::start(&[Act::Raw(list)]);
    let generator = EndpointGenerator::open(EndpointOptions {
        context_tokens: Some(50),
        ..options(&server)
    });
    assert_eq!(generator.expect("it has it").context_tokens(), 50);
}

#[test]
fn a_server_without_the_model_tells_those_it_has() {
    let error = checked(Act::Raw(r#"{"data":[{"id":"big"},{"id":"small"}]}"#));
    let error = error.expect_err("it has it not");
    let EndpointError::ModelMissing { names, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(names, &["big", "small"]);
    let message = error.to_string();
    assert!(
        message.contains("`tiny`") && message.contains("it has big, small"),
        "{message}"
    );
    let none = checked(Act::Raw(r#"{"object":"list","data":null}"#)).expect_err("it has none");
    assert!(none.to_string().contains("none at all"), "{none}");
}

#[test]
fn a_server_without_a_list_is_no_error_and_a_web_site_is() {
    let found = checked(Act::Status(404, r#"{"detail":"Not Found"}"#)).expect("no list");
    assert_eq!((found.names.len(), found.context_tokens), (0, 4096));
    let error = checked(Act::Status(404, "<html><title>Shop</title></html>"));
    assert!(
        matches!(error, Err(EndpointError::NotFound { .. })),
        "{error:?}"
    );
    let error = checked(Act::Raw("<html><title>Shop</title></html>")).expect_err("a page");
    assert!(error.to_string().contains("\"Shop\""), "{error}");
    let error = checked(Act::Raw("{}")).expect_err("no list");
    assert!(error.to_string().contains("no list of models"), "{error}");
}

#[test]
fn what_keeps_a_server_from_listing_is_told_at_once() {
    for (act, told) in [
        (Act::Status(401, "no"), "WEIR_TEST_NO_SUCH_KEY"),
        (Act::Status(503, "Loading model"), "Loading model"),
        (Act::Status(302, ""), "redirects to"),
        (Act::Close, "broke off"),
        (
            Act::With(200, "content-length: 1000000000\r\n", "{"),
            "broke off",
        ),
    ] {
        let error = checked(act).expect_err("no list").to_string();
        assert!(error.contains(told), "{act:?}: {error}");
    }
}

#[test]
fn a_key_that_a_list_repeats_is_in_no_message() {
    let server = Server::start(&[Act::Raw(r#"{"data":[{"id":"for s3cret-5309"}]}"#)]);
    let endpoint = endpoint(options(&server)).with_key("s3cret-5309");
    let error = endpoint.check().expect_err("it has it not");
    let told = format!("{error} {error:?}");
    assert!(
        told.contains("for [key]") && !told.contains("s3cret"),
        "{told}"
    );
}
