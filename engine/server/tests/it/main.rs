//! The server as its clients see it, over real connections, in one test binary.

mod support;

mod access;
mod bounds;
mod chats;
mod creating;
mod damaged;
mod following;
mod fuzz;
mod guarding;
mod importing;
mod looking;
mod recalling;
mod talk;
