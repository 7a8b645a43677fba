//! Who may do what, from where, and under which name.

use crate::support::{Served, agent, answer, folder};
use serde_json::json;
use std::fs;
use weir_server::{OPENAPI, Scope, Tokens};

/// The status of a request with a token, if it has one.
fn status(served: &Served, method: &str, path: &str, secret: Option<&str>) -> u16 {
    let request = ureq::http::Request::builder()
        .method(method)
        .uri(served.url(path));
    let request = request.header("content-type", "application/json");
    let request = match secret {
        Some(secret) => request.header("authorization", format!("Bearer {secret}")),
        None => request,
    };
    let reply = agent().run(request.body("{}").expect("it is a request"));
    // events have no end
    reply.expect("it replies").status().as_u16()
}

#[test]
fn a_token_allows_what_its_scopes_say_and_nothing_else() {
    let data = folder();
    let mut tokens = Tokens::read(data.path()).expect("there are none");
    let mut made = |name, scopes: &[Scope]| tokens.add(name, scopes).expect("it is new").secret;
    let reader = made("reader", &[Scope::Read]);
    let writer = made("writer", &[Scope::Write]);
    let admin = made("admin", &[Scope::Admin]);
    let served = Served::of(data.path());
    let status =
        |method: &str, path: &str, secret: Option<&str>| status(&served, method, path, secret);
    let described: serde_json::Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    let paths = described["paths"].as_object().expect("it has paths");
    let mut routes = 0;
    for (path, methods) in paths {
        let path = path.replace("{session}", "s").replace("{node}", "n1.0");
        for method in methods.as_object().expect("they are named").keys() {
            let method = method.to_uppercase();
            if matches!(&*path, "/health" | "/ready") {
                assert_eq!(status(&method, &path, None), 200, "{method} {path}");
                continue;
            }
            routes += 1;
            assert_eq!(
                status(&method, &path, None),
                401,
                "{method} {path} without a token"
            );
            let wrong = status(&method, &path, Some("weir_0000"));
            assert_eq!(wrong, 401, "{method} {path} with a token that nobody made");
            let allowed = [&reader, &writer, &admin]
                .map(|secret| !matches!(status(&method, &path, Some(secret)), 401 | 403));
            assert_eq!(
                allowed.iter().filter(|it| **it).count(),
                1,
                "{method} {path}"
            );
            let reads = path.ends_with("/ask")
                || path.ends_with("/recall")
                || method == "GET" && !path.ends_with("/live");
            let manages = path.ends_with("/import")
                || path == "/v1/sessions/s" && matches!(&*method, "PUT" | "DELETE");
            assert_eq!(
                allowed,
                [reads, !reads && !manages, manages],
                "{method} {path}"
            );
        }
    }
    assert!(routes >= 18, "{routes} routes");
    // the same in the cookie of a page
    let cookie = format!("other=1; weir_token={reader}");
    let request = agent()
        .get(served.url("/v1/sessions"))
        .header("cookie", cookie);
    assert_eq!(answer(request.call()).0, 200);
}

#[test]
fn pages_of_others_and_names_of_others_are_refused() {
    let data = folder();
    let served = Served::with(data.path(), |config| {
        config.hosts.push("memory.example".to_owned());
        config.origins.push("https://page.example".to_owned());
    });
    let status = |host: Option<&str>, origin: Option<&str>| {
        let mut request = agent().get(served.url("/health"));
        if let Some(host) = host {
            request = request.header("host", host);
        }
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        answer(request.call()).0
    };
    let own = format!("http://{}", served.address);
    assert_eq!(status(None, None), 200);
    assert_eq!(status(Some("localhost:8377"), None), 200);
    assert_eq!(status(Some("[::1]:8377"), None), 200);
    assert_eq!(status(Some("memory.example"), None), 200);
    assert_eq!(status(Some("attacker.example"), None), 421);
    assert_eq!(status(Some("localhost.attacker.example"), None), 421);
    assert_eq!(status(None, Some(&own)), 200);
    assert_eq!(status(None, Some("https://page.example")), 200);
    for origin in ["https://attacker.example", "null", "http://localhost:1", ""] {
        assert_eq!(status(None, Some(origin)), 403, "{origin}");
    }
}

#[test]
fn a_name_of_a_session_leads_to_no_other_folder() {
    let data = folder();
    fs::create_dir_all(data.path().join("secret")).expect("it can be made");
    let served = Served::of(data.path());
    for name in [
        "..", "%2e%2e", "..%2fsecret", "%2e%2e%2fsecret", "a%00b", "a%5cb", ".hidden",
    ] {
        let body = json!({"utterances": [{"text": "hello there"}]});
        let (status, refused) = served.post(&format!("/v1/sessions/{name}/utterances"), &body);
        assert!(matches!(status, 400 | 404), "{name}: {status} {refused}");
        let (status, _) = served.delete(&format!("/v1/sessions/{name}"));
        assert!(matches!(status, 400 | 404 | 405), "{name}: {status}");
    }
    assert!(data.path().join("secret").exists());
    let made: Vec<_> = fs::read_dir(data.path().join("sessions"))
        .expect("it exists")
        .collect();
    assert!(made.is_empty(), "{made:?}");
}

/// The page that shows the routes comes from the program and loads nothing from elsewhere.
#[cfg(feature = "docs")]
#[test]
fn the_page_of_the_interface_asks_nobody_else() {
    let data = folder();
    let served = Served::of(data.path());
    let page = |path: &str| {
        let mut reply = agent().get(served.url(path)).call().expect("it replies");
        let policy = reply.headers().get("content-security-policy").cloned();
        let policy = policy.expect("it has one");
        assert!(
            policy
                .to_str()
                .is_ok_and(|it| it.starts_with("default-src 'self'"))
        );
        reply.body_mut().read_to_string().expect("it is text")
    };
    let shown = page("/docs/");
    assert!(shown.contains("swagger-ui-bundle.js"), "{shown}");
    let settings = page("/docs/swagger-initializer.js");
    assert!(
        settings.contains("\"validatorUrl\": \"none\""),
        "{settings}"
    );
    for text in [shown, settings] {
        assert!(!text.contains("://"), "{text}");
    }
}

#[test]
fn the_page_is_served_whole_and_nothing_beside_it() {
    let data = folder();
    let served = Served::of(data.path());
    let get = |path: &str, known: Option<&str>| {
        let request = ureq::http::Request::get(served.url(path));
        let request = match known {
            Some(tag) => request.header("if-none-match", tag),
            None => request,
        };
        agent()
            .run(request.body(()).expect("it is a request"))
            .expect("it replies")
    };
    let mut page = get("/", None);
    let may = page.headers()["content-security-policy"]
        .to_str()
        .expect("it is text");
    assert!(may.starts_with("default-src 'none'") && !may.contains("unsafe"));
    let tag = page.headers()["etag"]
        .to_str()
        .expect("it is text")
        .to_owned();
    let text = page.body_mut().read_to_string().expect("it is text");
    assert!(text.contains("<title>Weir</title>"));
    assert_eq!(get("/", Some(&tag)).status(), 304);
    for path in [
        "/page/../Cargo.toml",
        "/page/%2e%2e/Cargo.toml",
        "/page/..%2FCargo.toml",
        "/page//etc/passwd",
        "/page/none.js",
    ] {
        assert_eq!(get(path, None).status(), 404, "{path}");
    }
}

#[test]
fn a_token_that_may_only_read_uses_the_tools_that_look() {
    let data = folder();
    let mut tokens = Tokens::read(data.path()).expect("there are none");
    let mut made = |name, scopes: &[Scope]| tokens.add(name, scopes).expect("it is new").secret;
    let reader = made("reader", &[Scope::Read]);
    let writer = made("writer", &[Scope::Read, Scope::Write]);
    let served = Served::of(data.path());
    let call = |secret: &str, tool: &str, arguments: serde_json::Value| {
        let request = ureq::http::Request::post(served.url("/s/home/mcp"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {secret}"));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let request = request.body(body.to_string()).expect("it is a request");
        let mut reply = agent().run(request).expect("it replies");
        let text = reply.body_mut().read_to_string().expect("it is text");
        let reply: serde_json::Value = serde_json::from_str(&text).expect(&text);
        let told = &reply["result"];
        let said = told["content"][0]["text"].as_str().unwrap_or_default();
        (told["isError"] == true, said.to_owned())
    };
    let remember = json!({"text": "The key is under the fern.", "speaker": "Ana"});
    let key = json!({"query": "the key"});
    let (failed, why) = call(&reader, "recall", key.clone());
    assert!(failed && why.contains("home"), "it makes no session: {why}");
    let (failed, why) = call(&reader, "remember", remember.clone());
    assert!(failed && why.contains("scope `write`"), "{why}");
    assert!(!call(&writer, "remember", remember).0);
    let (failed, found) = call(&reader, "recall", key);
    assert!(!failed && found.contains("fern"), "{found}");
    for (tool, arguments) in [
        ("correct", json!({"id": "n1.0", "text": "No."})),
        ("forget", json!({"id": "n1.0"})),
    ] {
        let (failed, why) = call(&reader, tool, arguments);
        assert!(failed && why.contains("scope `write`"), "{tool}: {why}");
    }
    served.end();
}

#[test]
fn a_request_can_be_found_in_the_log_by_its_id() {
    let data = folder();
    let served = Served::of(data.path());
    let id_of = |given: Option<&str>| {
        let request = ureq::http::Request::get(served.url("/health"));
        let request = match given {
            Some(id) => request.header("x-request-id", id),
            None => request,
        };
        let reply = agent().run(request.body(()).expect("it is a request"));
        let reply = reply.expect("it replies");
        reply.headers()["x-request-id"]
            .to_str()
            .expect("it is text")
            .to_owned()
    };
    assert_eq!(id_of(Some("turn-7_a")), "turn-7_a");
    assert!(id_of(None).parse::<u64>().is_ok());
    let long = "x".repeat(65);
    assert!(id_of(Some(&long)).parse::<u64>().is_ok());
    assert!(id_of(Some("a b; c")).parse::<u64>().is_ok());
}
