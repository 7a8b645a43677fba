//! The description of the interface (OpenAPI), made of the routes; tests compare it with the one
//! that is kept.

use super::{
    ADMINISTERING, IMPORTING, OPEN, OPENAPI, READING, RECORDING, WRITING, asking, following,
    holding, importing, looking, recalling, service, sessions, sound, talk, transfer,
};
use std::collections::BTreeSet;
use utoipa::OpenApi as _;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Weir",
        description = "A memory of talk: hear, ask, recall, change, follow. Errors are problem \
                       details (RFC 9457) with a class that says what a client can do.",
    ),
    paths(
        service::health, service::ready,
        sessions::list, sessions::stats, sessions::about,
        asking::ask, recalling::recall, following::events,
        holding::tree, looking::outline, looking::timeline, looking::search, looking::since_opened,
        looking::forgetting,
        holding::node, holding::transcript, holding::beliefs, holding::entities,
        holding::profile, holding::speakers,
        holding::sources, holding::clip, transfer::export,
        talk::hear, sound::live, talk::change, talk::edit, talk::forget,
        sessions::create, sessions::delete, sound::recording, importing::conversations,
        transfer::import,
    ),
    components(schemas(sound::Samples)),
    modifiers(&Tokens),
    security((), ("token" = [])),
)]
struct Described;

/// A server that other machines can reach needs a token.
struct Tokens;

impl utoipa::Modify for Tokens {
    fn modify(&self, described: &mut utoipa::openapi::OpenApi) {
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = described.components.get_or_insert_default();
        components.add_security_scheme("token", token);
    }
}

#[test]
fn the_description_of_the_interface_is_the_one_that_is_kept() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let described = serde_json::to_string_pretty(&Described::openapi()).expect("it is JSON") + "\n";
    if std::env::var_os("WEIR_WRITE").is_some() {
        std::fs::write(path, &described).expect("the folder exists");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        kept, described,
        "{path}: run again with WEIR_WRITE=1 and read the difference"
    );
}

/// Every reference leads somewhere.
#[test]
fn what_is_named_is_described() {
    let described: serde_json::Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    for named in OPENAPI.split("\"$ref\": \"#").skip(1) {
        let path = named.split('"').next().unwrap_or_default();
        assert!(described.pointer(path).is_some(), "{path}");
    }
}

#[test]
fn what_is_described_is_what_there_is() {
    let described: serde_json::Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    let paths = described["paths"].as_object().expect("it has paths");
    let methods = |(path, of): (&String, &serde_json::Value)| {
        let named = of.as_object().expect("they are named").keys();
        named
            .map(|it| (it.clone(), path.clone()))
            .collect::<Vec<_>>()
    };
    let described: BTreeSet<_> = paths.iter().flat_map(methods).collect();
    let tables = [READING, WRITING, RECORDING, ADMINISTERING, IMPORTING, OPEN];
    let there = tables.concat().into_iter();
    let there = there.map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(there.collect::<BTreeSet<_>>(), described);
}
