//! `weir-bench`: measurements that anyone can run again.

fn main() -> anyhow::Result<()> {
    weir_benches::cli::main()
}
