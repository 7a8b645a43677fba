//! Who may do what: tokens with scopes, and the checks before every request.

mod guard;
mod tokens;

pub(crate) use guard::{admitted, needs, sized};
pub use tokens::{NewToken, Scope, TokenError, TokenInfo, Tokens};
