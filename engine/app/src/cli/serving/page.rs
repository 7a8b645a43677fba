//! `weir open`: shows the page of a running server in the browser.

use crate::cli::failure::Exit;
use crate::cli::serving::serve_args::OpenArgs;
use crate::cli::terminal::Terminal;
use anyhow::{Context as _, bail};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server on the network may take.
const REPLY_MAX: Duration = Duration::from_secs(3);
/// A program that runs for so long has opened the page.
const OPENING_MAX: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Where the page of a server is for a browser on this machine.
pub(crate) fn at(scheme: &str, server: SocketAddr) -> String {
    let ip = server.ip();
    match ip.is_loopback() || ip.is_unspecified() {
        // the name that browsers give a microphone to, also without TLS
        true => format!("{scheme}://localhost:{}/", server.port()),
        false => format!("{scheme}://{server}/"),
    }
}

/// Runs the command.
pub(crate) fn run(args: &OpenArgs, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let server = args.at.trim_end_matches('/');
    let replies = host_of(server)?.to_socket_addrs();
    let mut replies = replies.with_context(|| format!("{server} is no address that is known"))?;
    if !replies.any(|it| TcpStream::connect_timeout(&it, REPLY_MAX).is_ok()) {
        bail!("no server replies at {server}; start one with `weir serve`, or name it with --at");
    }
    let page = match &args.session {
        Some(session) => format!("{server}/#/{session}/live"),
        None => format!("{server}/"),
    };
    match opens(opener().arg(&page)) {
        true => terminal.note(&format!("opened {page}")),
        false => {
            terminal.note("no browser could be opened here; the page is at");
            terminal.data(&page)?;
        }
    }
    Ok(Exit::Done)
}

/// Host and port of a web address.
fn host_of(server: &str) -> anyhow::Result<String> {
    let (port, rest) = match server.split_once("://") {
        Some(("http", rest)) => (80, rest),
        Some(("https", rest)) => (443, rest),
        _ => bail!("`{server}` is no web address; write http://HOST:PORT or https://HOST:PORT"),
    };
    let host = rest.split('/').next().unwrap_or_default();
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    Ok(match has_port {
        true => host.to_owned(),
        false => format!("{host}:{port}"),
    })
}

/// The program of this system that opens an address. None of them is a shell.
fn opener() -> Command {
    Command::new(match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    })
}

/// Whether the program does not fail soon.
fn opens(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut running) = quiet.spawn() else {
        return false;
    };
    let began = Instant::now();
    while began.elapsed() < OPENING_MAX {
        match running.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(LOOK_EVERY),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{at, host_of};

    #[test]
    fn the_page_is_where_a_browser_of_this_machine_finds_it() {
        let of = |server: &str| at("http", server.parse().expect("it is an address"));
        assert_eq!(of("127.0.0.1:8377"), "http://localhost:8377/");
        assert_eq!(of("0.0.0.0:8377"), "http://localhost:8377/");
        assert_eq!(of("[::1]:8377"), "http://localhost:8377/");
        assert_eq!(of("192.168.1.7:8377"), "http://192.168.1.7:8377/");
    }

    #[test]
    fn a_web_address_has_a_host_and_a_port() {
        let of = |server| host_of(server).ok();
        assert_eq!(
            of("http://localhost:8377").as_deref(),
            Some("localhost:8377")
        );
        assert_eq!(
            of("https://memory.example").as_deref(),
            Some("memory.example:443")
        );
        assert_eq!(of("http://[::1]:80/x").as_deref(), Some("[::1]:80"));
        assert_eq!(of("http://[::1]").as_deref(), Some("[::1]:80"));
        assert_eq!(of("localhost:8377"), None);
    }
}
