# Sourced by scripts/demo and scripts/test: installs what the build needs, or says exactly what to
# install. Safe to run again; does nothing when everything is there.

# The C++ build of whisper.cpp needs no libclang when its bindings come ready-made.
export WHISPER_DONT_GENERATE_BINDINGS=1

say() { printf '%s\n' "$*" >&2; }

# weir_setup: Debian packages for building, and a Rust toolchain.
weir_setup() {
    if ! command -v cargo >/dev/null 2>&1; then
        say "weir needs Rust 1.95 or newer. Install it from https://rustup.rs and run this again."
        exit 2
    fi
    local missing=()
    command -v cmake >/dev/null 2>&1 || missing+=(cmake)
    command -v c++ >/dev/null 2>&1 || missing+=(g++)
    command -v make >/dev/null 2>&1 || missing+=(make)
    command -v pkg-config >/dev/null 2>&1 || missing+=(pkg-config)
    pkg-config --exists alsa 2>/dev/null || missing+=(libasound2-dev)
    [ "${#missing[@]}" -eq 0 ] && return
    weir_install "${missing[@]}"
}

# weir_models: the small models that tests compare with their references, fetched by the debug build;
# without them those tests skip. Fails when one is missing.
weir_models() {
    local weir="${CARGO_TARGET_DIR:-target}/debug/weir" name missing=0
    for name in all-MiniLM-L6-v2 SmolLM2-135M-Instruct tiny.en \
        campplus-cn-en-common pyannote-segmentation-3.0; do
        "$weir" models path "$name" >/dev/null 2>&1 && continue
        "$weir" models pull "$name" >/dev/null && continue
        say "Going on without $name: tests that compare with it will skip."
        missing=1
    done
    return "$missing"
}

# weir_browser: a browser for the tests of the page; without one they skip.
weir_browser() {
    local name
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null 2>&1 && return
    done
    (weir_install chromium) || say "Going on without a browser: the tests of the page will skip."
}

# weir_install PACKAGE...: with root or sudo installs, otherwise says what to type.
weir_install() {
    local as=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as=(sudo -n)
        else
            say "Please install what the build needs, then run this again:"
            say "    sudo apt-get install -y $*"
            exit 2
        fi
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        say "Please install these with your package manager (Debian names), then run this again: $*"
        exit 2
    fi
    say "Installing $* ..."
    "${as[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as[@]}" apt-get install -y -qq "$@" >/dev/null
}
