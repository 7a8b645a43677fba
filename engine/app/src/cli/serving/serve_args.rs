//! Arguments of `weir serve` and `weir tokens`.

use crate::cli::loading::model_args::{AnswerArgs, DistilArgs};
use crate::cli::session::policy::PolicyArg;
use crate::cli::session::size_args::{budget_tokens, transcript_bytes};
use clap::{Args, Subcommand, ValueEnum};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use weir_server::{PORT_DEFAULT, Scope};

const BIND: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT_DEFAULT);

/// Examples below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  weir serve                                    for programs on this machine, until Ctrl-C
  curl -H 'content-type: application/json' http://localhost:8377/v1/sessions/home/utterances \\
      -d '{\"utterances\": [{\"speaker\": \"Ana\", \"text\": \"The key is under the fern.\"}]}'
  curl -H 'content-type: application/json' http://localhost:8377/v1/sessions/home/ask \\
      -d '{\"question\": \"Where is the key?\"}'
  weir serve --bind 0.0.0.0:8377 --tls-cert cert.pem --tls-key key.pem    for other machines too

http://localhost:8377/ is a page for people: weir open opens it.
http://localhost:8377/openapi.json describes every route. A session is a folder below sessions/ of
the data folder, and the other commands of weir work on it, also while it is served.";

/// Examples of tokens.
pub(crate) const TOKEN_EXAMPLES: &str = "\
Examples:
  weir tokens add phone --scope read,write     prints the token, once; only its hash is stored
  weir tokens list
  weir tokens remove phone

As soon as there is a token, every request needs one: `Authorization: Bearer TOKEN`. A server that
runs takes new tokens after it is started again.";

/// Where a server keeps its sessions and tokens.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// Folder of the sessions and tokens [default: weir/served in the user's data folder]
    #[arg(long, env = "WEIR_SERVED", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// `weir serve`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Address to listen on; one that other machines can reach needs tokens
    #[arg(long, value_name = "ADDR:PORT", default_value_t = BIND)]
    pub(crate) bind: SocketAddr,
    /// A name under which clients reach the server, beside localhost and IP addresses
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// A web origin whose pages may use the server, such as `https://home.example`
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// PEM file of a certificate chain: the server then speaks HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// PEM file of its private key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Server with the OpenAI API whose model answers chats at /s/SESSION/v1, such as
    /// `http://localhost:11434/v1`; `local` for the generator of this machine
    #[arg(long, env = "WEIR_UPSTREAM", value_name = "URL|local")]
    pub(crate) upstream: Option<String>,
    /// Environment variable with its key
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    pub(crate) upstream_key: String,
    /// Address for voice assistants that speak Wyoming, such as Home Assistant; it knows no tokens
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) wyoming: Option<SocketAddr>,
    /// Name of the session that hears what is said to them
    #[arg(
        long,
        value_name = "NAME",
        default_value = "home",
        requires = "wyoming"
    )]
    pub(crate) wyoming_session: String,
    /// Sessions that are open at the same time; the one not used for longest is closed first
    #[arg(
        long,
        value_name = "N",
        default_value_t = 64,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub(crate) open_sessions: u16,
    /// Seconds after which a session that is not used is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) idle: u32,
    /// Tokens of all text that a new session may hold [default: as `weir listen`]
    #[arg(long, value_name = "N", value_parser = budget_tokens)]
    pub(crate) budget_tokens: Option<usize>,
    /// Bytes of the transcript of a new session; 0 keeps none [default: as `weir listen`]
    #[arg(long, value_name = "N", value_parser = transcript_bytes)]
    pub(crate) transcript_bytes: Option<u64>,
    /// Rules of new sessions
    #[arg(long, value_name = "POLICY", default_value = "weir")]
    pub(crate) policy: PolicyArg,
    /// Names and terms that may be said, one a line, so that speech is written right; a request's
    /// `prompt` is read behind them
    #[arg(long, value_name = "FILE")]
    pub(crate) terms: Option<PathBuf>,
    /// The encoder of new sessions
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    #[command(flatten)]
    pub(crate) distil: DistilArgs,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

/// Examples of the Model Context Protocol.
pub(crate) const MCP_EXAMPLES: &str = "\
A client starts the command itself, for example with this in its list of servers:
  {\"weir\": {\"command\": \"weir\", \"args\": [\"mcp\", \"--session\", \"home\"]}}
A server that runs has the same at http://localhost:8377/s/SESSION/mcp: use that address where
several clients share a session.";

/// `weir mcp`.
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArgs {
    /// Name of the session; created if there is none
    #[arg(long, value_name = "NAME")]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The encoder of a new session
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

/// Examples of the page.
pub(crate) const OPEN_EXAMPLES: &str = "\
Examples:
  weir open                          the page of `weir serve` on this machine
  weir open --session home           its session home
  weir open --at https://memory.example:8377";

/// `weir open`.
#[derive(Debug, Clone, Args)]
pub(crate) struct OpenArgs {
    /// Name of the session to show; without it, the page shows all
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Address of the server
    #[arg(long, value_name = "URL", default_value_t = format!("http://localhost:{PORT_DEFAULT}"))]
    pub(crate) at: String,
}

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Asking, recalling and looking
    Read,
    /// Hearing and changing
    Write,
    /// Creating and deleting sessions
    Admin,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Read => Self::Read,
            ScopeArg::Write => Self::Write,
            ScopeArg::Admin => Self::Admin,
        }
    }
}

/// `weir tokens`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TokensCommand {
    /// Make a token and print it, once
    Add {
        /// Its name
        name: String,
        /// What it allows
        #[arg(
            long,
            value_enum,
            value_delimiter = ',',
            required = true,
            value_name = "SCOPES"
        )]
        scope: Vec<ScopeArg>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List the tokens by name
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Remove a token
    Remove {
        /// Its name
        name: String,
        #[command(flatten)]
        data: DataArgs,
    },
}
