//! The bounded memory of a conversation, and the product around it.
