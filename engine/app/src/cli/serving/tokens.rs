//! `weir tokens`: who may use a server.

use crate::cli::failure::Exit;
use crate::cli::serving::serve_args::{DataArgs, TokensCommand};
use crate::cli::terminal::{Terminal, plain};
use std::path::PathBuf;
use weir_engine::private;
use weir_loading::user_data;
use weir_server::{Scope, Tokens};

/// Runs the command.
pub(crate) fn run(command: TokensCommand, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    match command {
        TokensCommand::Add { name, scope, data } => {
            let folder = folder(&data)?;
            private::make_folder(&folder)?;
            let scopes: Vec<Scope> = scope.into_iter().map(Scope::from).collect();
            let made = Tokens::read(&folder)?.add(&name, &scopes)?;
            terminal.data(&made.secret)?;
            terminal.note("store it now: it is not shown again");
        }
        TokensCommand::List { data } => {
            for token in Tokens::read(&folder(&data)?)?.list() {
                let scopes: Vec<&str> = token.scopes.iter().map(|it| named(*it)).collect();
                terminal.data(&format!("{}  {}", plain(&token.name), scopes.join(", ")))?;
            }
        }
        TokensCommand::Remove { name, data } => {
            Tokens::read(&folder(&data)?)?.remove(&name)?;
            terminal.note("a server that runs knows it until it is started again");
        }
    }
    Ok(Exit::Done)
}

fn named(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read",
        Scope::Write => "write",
        Scope::Admin => "admin",
    }
}

/// The data folder of a server.
pub(crate) fn folder(data: &DataArgs) -> anyhow::Result<PathBuf> {
    match &data.data {
        Some(folder) => Ok(folder.clone()),
        None => Ok(user_data()?.join("served")),
    }
}
