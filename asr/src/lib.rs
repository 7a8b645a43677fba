//! Audio in, timed words out.
