//! `weir-bench`: reproducible measurements.

fn main() -> anyhow::Result<()> {
    weir_benches::cli::main()
}
