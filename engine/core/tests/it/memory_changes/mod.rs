//! Changes of memory, by hand and by talk: one property at a time, and at random.

mod facts;
mod found;
mod hand;
mod names;
mod random;
mod telling;
