//! The list of a server's models.

use super::super::Checked;
use super::*;

fn checked(act: Act) -> Result<Checked, EndpointError> {
    let server = Server::start(&[act]);
    let checked = endpoint(options(&server)).check();
    assert_eq!(server.paths(), ["/v1/models"]);
    checked
}

#[test]
fn a_server_with_the_model_or_without_a_list_is_fine() {
    for (act, names, context_tokens) in [
        (
            Act::Raw(r#"{"data":[{"id":"other"},{"id":"tiny","max_model_len":77}]}"#),
            &["other", "tiny"][..],
            77,
        ),
        (
            Act::Raw(r#"{"data":[{"id":"tiny","meta":{"n_ctx_train":131072,"n_ctx":2048}}]}"#),
            &["tiny"],
            2048,
        ),
        (
            Act::Raw(r#"{"data":[{"id":"tiny","meta":{"n_ctx_train":512}}]}"#),
            &["tiny"],
            512,
        ),
        // Ollama's notation for a model without a tag
        (
            Act::Raw(r#"{"data":[{"no":"id"},{"id":"bad\u0000name"},{"id":"tiny:latest"}]}"#),
            &["tiny:latest"],
            4096,
        ),
        (Act::Status(404, r#"{"detail":"Not Found"}"#), &[], 4096),
    ] {
        let found = checked(act).expect("no fault");
        assert_eq!(found.names, names);
        assert_eq!(found.context_tokens, context_tokens);
    }
    let server = Server::start(&[Act::Raw(r#"{"data":[{"id":"tiny","max_model_len":77}]}"#)]);
    let generator = EndpointGenerator::open(EndpointOptions {
        context_tokens: Some(50),
        ..options(&server)
    });
    assert_eq!(generator.expect("it has it").context_tokens(), 50);
}

#[test]
fn a_server_that_lacks_the_model_or_does_not_list_is_told_at_once() {
    const PAGE: &str = "<html><title>Shop</title></html>";
    let big = Act::With(200, "content-length: 1000000000\r\n", "{");
    let others = Act::Raw(r#"{"data":[{"id":"big"},{"id":"small"}]}"#);
    let none = Act::Raw(r#"{"object":"list","data":null}"#);
    for (act, kind, words) in [
        (others, Kind::ModelMissing, "`tiny`|it has big, small"),
        (none, Kind::ModelMissing, "none at all"),
        (Act::Status(404, PAGE), Kind::NotFound, "\"Shop\""),
        (Act::Raw(PAGE), Kind::Malformed, "\"Shop\""),
        (Act::Raw("{}"), Kind::Malformed, "no list of models"),
        (Act::Status(401, "no"), Kind::Key, "WEIR_TEST_NO_SUCH_KEY"),
        (
            Act::Status(503, "Loading model"),
            Kind::Busy,
            "Loading model",
        ),
        (Act::Status(302, ""), Kind::Redirect, "redirects to"),
        (Act::Close, Kind::Broken, "broke off"),
        (big, Kind::Broken, "broke off"),
    ] {
        assert_told(&checked(act).expect_err("no list"), kind, words);
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
