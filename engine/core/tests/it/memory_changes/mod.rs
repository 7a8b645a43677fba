//! Memory changed by hand and by what is said, one property at a time and at random.

mod facts;
mod found;
mod hand;
mod random;
mod telling;
