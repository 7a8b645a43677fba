# Sourced by the other scripts: installs what the build needs, or says exactly what to install, and
# explains a build that failed. Safe to run again; does nothing when everything is there.

# The C++ build of whisper.cpp takes the bindings that come with it.
export WHISPER_DONT_GENERATE_BINDINGS=1

# where the system tells of its memory
weir_proc=/proc weir_cgroup=/sys/fs/cgroup

say() { printf '%s\n' "$*" >&2; }

# weir_setup: Debian packages for building, and a Rust toolchain; `target` is the folder of builds.
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
    [ "${#missing[@]}" -eq 0 ] || weir_install "${missing[@]}"
    target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
    weir_caches
    weir_memory
}

# weir_caches: caches of compiled code that this machine has are used.
weir_caches() {
    local cache
    for cache in sccache ccache; do
        command -v "$cache" >/dev/null 2>&1 || continue
        export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER:-$cache}"
        export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER:-$cache}"
        [ "$cache" = ccache ] || export RUSTC_WRAPPER="${RUSTC_WRAPPER:-$cache}"
        return 0
    done
}

# weir_memory: with little memory one crate is compiled at a time.
weir_memory() {
    local kib limit
    kib=$(awk '/^MemTotal/ {print $2}' "$weir_proc/meminfo" 2>/dev/null || echo 0)
    limit=$(cat "$weir_cgroup/memory.max" 2>/dev/null ||
        cat "$weir_cgroup/memory/memory.limit_in_bytes" 2>/dev/null || echo max)
    [ "$limit" = max ] || [ $((limit / 1024)) -ge "$kib" ] || kib=$((limit / 1024))
    [ "$kib" -gt 0 ] && [ "$kib" -lt 3500000 ] && [ -z "${CARGO_BUILD_JOBS:-}" ] || return 0
    export CARGO_BUILD_JOBS=1
    say "This machine has $((kib / 1024)) MiB of memory: one crate is compiled at a time, which takes longer."
}

# weir_cargo ARGUMENT...: cargo. If it fails for want of memory or room on the disk, says so.
weir_cargo() {
    local killed status=0 whisper
    killed=$(weir_killed)
    cargo "$@" || status=$?
    [ "$status" -ne 0 ] || return 0
    # what a build that stopped in the middle has left would stop the next one too
    for whisper in "$target"/*/build/whisper-rs-sys-*/out; do
        [ ! -d "$whisper" ] || [ -e "${whisper%/out}/output" ] || rm -rf "$whisper"
    done
    if [ "$(weir_free "$target")" -lt 200 ]; then
        say "The disk of $target is full. Free 4 GiB of it and run this again: it goes on where it stopped."
    elif [ "$(weir_killed)" -gt "$killed" ]; then
        say "The machine ran out of memory. Close other programs, or add swap, and run this again with CARGO_BUILD_JOBS=1: it goes on where it stopped."
    fi
    return "$status"
}

# weir_free FOLDER: free room on its disk, in MiB.
weir_free() { df -Pm "$1" 2>/dev/null | awk 'NR == 2 {print $4} END {if (NR < 2) print 999999}'; }

# weir_killed: how many programs the system has ended for want of memory.
weir_killed() { awk '/^oom_kill / {n = $2} END {print n + 0}' "$weir_proc/vmstat" 2>/dev/null || echo 0; }

# weir_models NAME...: small models that tests compare with their references, fetched by the program
# that the tests built; without them those tests skip. Fails when one is missing.
weir_models() {
    local name missing=0
    for name in "$@"; do
        "$target/release/weir" models path "$name" >/dev/null 2>&1 && continue
        "$target/release/weir" models pull "$name" >/dev/null && continue
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
