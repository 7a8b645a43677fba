//! `weir serve`: serves sessions to other programs until Ctrl-C.

use crate::cli::args::Global;
use crate::cli::failure::Exit;
use crate::cli::hearing::interrupt::interrupted_by_ctrl_c;
use crate::cli::hearing::terms;
use crate::cli::loading::loader::notes;
use crate::cli::loading::selecting::select;
use crate::cli::serving::page;
use crate::cli::serving::serve_args::{McpArgs, ServeArgs};
use crate::cli::serving::tokens;
use crate::cli::session::policy::PolicyArg;
use crate::cli::terminal::Terminal;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use weir_api::Budgets;
use weir_engine::pipeline::AskSettings;
use weir_engine::private;
use weir_loading::{CheckBy, SpeechSelection};
use weir_server::{
    Assistants, ChatModel, Limits, Scope, ServerConfig, SessionMaker, TlsFiles, Tokens, Upstream,
    serve, serve_stdio,
};

/// Name of the token that is made when a server that others can reach has none.
const FIRST: &str = "first";

/// The upstream that is the generator of this machine.
const LOCAL: &str = "local";

/// Runs the command.
pub(crate) fn run(
    args: &ServeArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let terms = args.terms.as_deref().map(terms::read).transpose()?;
    let stop = interrupted_by_ctrl_c()?;
    let data = tokens::folder(&args.data)?;
    private::make_folder(&data)?;
    secure(args.bind, &data, terminal)?;
    if let Some(bind) = args.wyoming.filter(|it| !it.ip().is_loopback()) {
        terminal.warn(&format!(
            "{bind}: Wyoming has no tokens; whoever reaches it may talk and ask"
        ));
    }
    let mut selection = select(&args.distil, &args.answer, global.typed)?;
    let asking = AskSettings {
        check: selection.check.is_some(),
        ..args.answer.settings()
    };
    // a client may ask for a check of one answer
    selection.check.get_or_insert(CheckBy::Lexical);
    if let Some(to) = &args.upstream {
        let to = match to.as_str() {
            LOCAL => &selection.generator,
            url => url,
        };
        terminal.note(&format!(
            "chats at /s/SESSION/v1, with what memory holds for them, go to {to}"
        ));
    }
    let loader = global.loader();
    let speech = SpeechSelection::default();
    let names = terms.unwrap_or_default();
    let speech = loader.expecting(speech, &names, &mut notes(global, terminal))?;
    let maker = SessionMaker::new(loader, selection, args.encoder.clone());
    let maker = maker.asking(asking).speech(speech);
    let config = config(args, &data);
    let scheme = match config.tls {
        Some(_) => "https",
        None => "http",
    };
    serve(config, maker, &stop, |address| {
        terminal.note(&format!("serving the sessions of {}", data.display()));
        terminal.note(&format!(
            "{scheme}://{address} until Ctrl-C; weir serve --help has examples"
        ));
        terminal.note(&format!("the page: {}", page::at(scheme, address)));
    })?;
    Ok(Exit::Done)
}

/// What the flags say of the server.
fn config(args: &ServeArgs, data: &Path) -> ServerConfig {
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    ServerConfig {
        bind: args.bind,
        hosts: args.host.clone(),
        origins: args.origin.clone(),
        tls: tls.map(|(chain, key)| TlsFiles { chain, key }),
        chats: args.upstream.clone().map(|to| match to.as_str() {
            LOCAL => ChatModel::Local,
            _ => ChatModel::Server(Upstream {
                url: to,
                key_variable: args.upstream_key.clone(),
            }),
        }),
        assistants: args.wyoming.map(|bind| Assistants {
            bind,
            session: args.wyoming_session.clone(),
        }),
        by_the_paper: args.policy == PolicyArg::Paper,
        budgets: Budgets {
            tokens: args.budget_tokens,
            transcript_bytes: args.transcript_bytes,
            ..Budgets::default()
        },
        limits: Limits {
            open_sessions: args.open_sessions.into(),
            idle: Duration::from_secs(args.idle.into()),
            ..Limits::default()
        },
        ..ServerConfig::local(data.to_path_buf())
    }
}

/// Runs `weir mcp`: standard output carries the protocol alone.
pub(crate) fn mcp(
    args: &McpArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let data = tokens::folder(&args.data)?;
    private::make_folder(&data)?;
    terminal.note(&format!(
        "serving the session {} of {}",
        args.session,
        data.display()
    ));
    let selection = args.answer.selection(global.typed)?;
    let maker = SessionMaker::new(global.loader(), selection, args.encoder.clone());
    let maker = maker.asking(args.answer.settings());
    serve_stdio(ServerConfig::local(data), maker, &args.session)?;
    Ok(Exit::Done)
}

/// Makes a token if other machines can reach the server and there is none.
fn secure(bind: SocketAddr, data: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let mut tokens = Tokens::read(data)?;
    if bind.ip().is_loopback() {
        return Ok(());
    }
    terminal.warn(&format!(
        "other machines can reach {bind}; every request needs a token"
    ));
    if tokens.is_empty() {
        let made = tokens.add(FIRST, &[Scope::Read, Scope::Write, Scope::Admin])?;
        terminal.note(&format!("the first token, shown once: {}", made.secret));
    }
    Ok(())
}
