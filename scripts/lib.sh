# Shared by the scripts beside it: what they need, kept in the project's own folder (.venv, target, fixtures).
# Sourced, not run. Progress goes to standard error; what a step says is shown only if it fails.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
target="${CARGO_TARGET_DIR:-$root/target}"
venv="$root/.venv"
python="$venv/bin/python"
log="$target/scripts.log"
mkdir -p "$target"

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $1"
    [ $# -lt 2 ] || say "hint: $2"
    exit 1
}

# quietly WHAT COMMAND...: says what is done, and the command's words only if it fails.
quietly() {
    local what="$1" began=$SECONDS
    shift
    if [ -t 2 ]; then printf '  %s ...\r' "$what" >&2; fi
    if ! "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        die "$what failed: $*"
    fi
    say "  $what ($((SECONDS - began)) s)"
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
        if is_new_enough "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
    die "no Python 3.11 or newer was found" "install one, or name it: PYTHON=/path/to/python3 $0"
}

need_tools() {
    command -v cargo >/dev/null || die "cargo was not found" "install a stable Rust toolchain: https://rustup.rs"
    command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
        die "no C compiler was found" "install gcc or clang: libdeflate is written in C"
}

# Best effort: without rustup, scripts/run_tests.py says what is left out.
need_components() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null && rustup component add rustfmt clippy >"$log" 2>&1 </dev/null || true
}

make_venv() {
    local base
    base="$(find_python)" || exit 1
    "$base" -m venv "$venv" && return
    # Some systems package venv without pip; virtualenv brings its own.
    rm -rf "$venv"
    "$base" -m pip install --quiet --target "$target/virtualenv" virtualenv &&
        PYTHONPATH="$target/virtualenv" "$base" -m virtualenv --quiet "$venv" && return
    say "hint: install your system's python3-venv package"
    return 1
}

# need_python NAME: .venv with what scripts/requirements-NAME.txt asks for.
need_python() {
    local wanted="scripts/requirements-$1.txt" mark
    mark="$venv/.$1-$(cat scripts/requirements-*.txt | cksum | cut -d' ' -f1)"
    is_new_enough "$python" || quietly "make .venv" make_venv
    [ -e "$mark" ] || quietly "install $wanted into .venv" \
        "$python" -m pip install --disable-pip-version-check --quiet -r "$wanted"
    touch "$mark"
    export PYO3_PYTHON="$python" HYPERSLAB_PYTHON="$python"
}

# What is built: `release` to work with, `dist` to measure.
profile=release

need_command() {
    quietly "build target/$profile/hyperslab" cargo build --profile "$profile" --locked -p hyperslab-cli
}

# The package is built anew only when a source is newer than what is installed.
need_package() {
    local mark="$venv/.hyperslab-installed-$profile" other="$venv/.hyperslab-installed-release"
    [ "$profile" = dist ] || other="$venv/.hyperslab-installed-dist"
    if [ ! -e "$mark" ] || [ -n "$(find Cargo.toml Cargo.lock pyproject.toml crates python -newer "$mark" \
        -type f -not -path '*/__pycache__/*' -print -quit)" ]; then
        touch "$mark.began"
        PATH="$venv/bin:$PATH" MATURIN_PEP517_ARGS="--profile $profile" quietly "pip install . ($profile)" \
            "$python" -m pip install --disable-pip-version-check --quiet --no-build-isolation --no-deps .
        mv "$mark.began" "$mark"
        rm -f "$other"
    fi
}

# need_fixtures TOPIC...: files that corpus/recipes writes; without a topic, those that tests need.
need_fixtures() {
    local what="${*:-those of the tests}"
    quietly "make fixtures: $what" "$python" corpus/recipes/make.py ${1:+--only "$@"}
}

# apt_packages WHAT PACKAGE...: installs packages of the system. Best effort: without apt-get, or without the right to use
# it, scripts/run_tests.py says what is left out.
apt_packages() {
    local what="$1"
    shift
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        say "  $what"
        return
    fi
    DEBIAN_FRONTEND=noninteractive quietly "apt-get install $*" \
        sh -c "apt-get update && apt-get install --yes --no-install-recommends $*"
}

# The tools of libhdf5 and netCDF-C: the lines that the doctor and the bench give to paste are run with them.
need_file_tools() {
    command -v h5repack >/dev/null && command -v h5stat >/dev/null && command -v nccopy >/dev/null && return
    apt_packages "no h5repack, h5stat or nccopy: install them to test lines to paste" hdf5-tools netcdf-bin
}

# The example in Fortran of the library for C. Best effort: without it, that test is left out.
need_fortran() {
    command -v gfortran >/dev/null || apt_packages "no gfortran: install it to test the library from Fortran" gfortran
}

# The library of LZO's author, which decodes what is encoded here. Best effort: without it, that test is left out.
need_lzo() {
    ldconfig -p 2>/dev/null | grep -q liblzo2 && return
    apt_packages "no liblzo2: install it to test the encoder of LZO" liblzo2-2
}

# libhdf5 1.8 and 1.14 in older wheels of h5py: files that are written for old readers are read with the first, and programs
# that are linked with both are watched. Best effort: without them, these tests are left out.
need_old_libhdf5() {
    need_libhdf5 1.8 2.7.1 36 cp36m manylinux1_x86_64
    need_libhdf5 1.14 3.12.1 311 cp311 manylinux_2_17_x86_64
}

# need_libhdf5 VERSION H5PY PYTHON ABI PLATFORM
need_libhdf5() {
    local folder="$target/libhdf5-$1" found
    if [ "$(uname -sm)" = "Linux x86_64" ] && [ ! -d "$folder/h5py" ]; then
        mkdir -p "$folder"
        "$python" -m pip download --disable-pip-version-check --quiet --no-deps --only-binary=:all: --python-version "$3" \
            --abi "$4" --platform "$5" --dest "$folder" "h5py==$2" >"$log" 2>&1 </dev/null &&
            "$python" -m zipfile --extract "$folder/h5py-$2"-*.whl "$folder" ||
            say "  no libhdf5 $1: a wheel of h5py $2 was not found"
    fi
    for found in "$folder"/h5py/.libs/libhdf5-*.so* "$folder"/h5py.libs/libhdf5-*.so*; do
        [ ! -e "$found" ] || export "HYPERSLAB_LIBHDF5_${1//./_}=$found"
    done
}

# For the tests of remote files: an S3 server, and the emulator of Azure.
need_stores() {
    local bin="$HOME/.local/node_modules/.bin"
    [ -x "$bin/s3rver" ] && [ -x "$bin/azurite-blob" ] && return
    if ! command -v npm >/dev/null; then
        say "  no s3rver and no azurite: install Node.js with npm, and they are installed to test S3 and Azure Blob Storage"
        return
    fi
    (quietly "npm install s3rver azurite" \
        npm install --prefix "$HOME/.local" --no-save --no-audit --no-fund s3rver@3.7.1 azurite@3.35.0) || true
}

# For the full run: an S3 server that verifies signatures, and the emulator of Google Cloud Storage. Without them, their tests fail.
need_go_stores() {
    need_go_server versitygw github.com/versity/versitygw/cmd/versitygw@v1.8.0
    need_go_server fake-gcs-server github.com/fsouza/fake-gcs-server@v1.56.1
}

# need_go_server PROGRAM PACKAGE
need_go_server() {
    command -v "$1" >/dev/null || [ -x "$(go env GOPATH 2>/dev/null)/bin/$1" ] && return
    if ! command -v go >/dev/null; then
        say "  no $1: install Go, and it is installed from source to test stores"
        return
    fi
    (quietly "go install $1" go install "$2") || true
}

# HSDS for the full run, in an environment of its own: it wants other versions of the libraries that tests use.
need_hsds() {
    local wanted=scripts/requirements-hsds.txt made="$target/hsds" mark
    mark="$made/.installed-$(cksum <"$wanted" | cut -d' ' -f1)"
    # Best effort: without it, one test is skipped.
    [ -e "$mark" ] || (quietly "install $wanted into $made" sh -c \
        "rm -rf '$made' && '$python' -m venv '$made' && '$made/bin/python' -m pip install --disable-pip-version-check --quiet -r '$wanted'" &&
        touch "$mark") || true
    export HYPERSLAB_HSDS="$made/bin/hsds"
}

# Programs that no one here wrote, for the full run of `hyperslab run`, and packages that bring a libhdf5 of their own.
need_programs() {
    local wanted=scripts/requirements-programs.txt made="$target/programs" mark
    command -v ncks >/dev/null && command -v cdo >/dev/null && command -v octave-cli >/dev/null && command -v Rscript >/dev/null ||
        apt_packages "no nco, cdo, gdal, octave or R: install them to test programs under \`hyperslab run\`" \
            nco cdo gdal-bin octave r-base-core r-cran-ncdf4 r-cran-hdf5r
    mark="$made/.installed-$(cksum <"$wanted" | cut -d' ' -f1)"
    [ -e "$mark" ] || (quietly "install $wanted into $made" sh -c \
        "rm -rf '$made' && '$python' -m venv '$made' && '$made/bin/python' -m pip install --disable-pip-version-check --quiet -r '$wanted'" &&
        touch "$mark") || true
    export HYPERSLAB_PROGRAMS_PYTHON="$made/bin/python"
}

# For the full run: the library that is preloaded, built for aarch64, and what runs it on this machine. Without them, its tests fail.
need_aarch64() {
    local folder version
    [ "$(uname -sm)" = "Linux x86_64" ] || return 0
    command -v qemu-aarch64-static >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null ||
        apt_packages "no qemu-user-static or aarch64-linux-gnu-gcc: install them to test programs for aarch64" \
            qemu-user-static gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross
    for version in 2.0:3.16.0:manylinux_2_28_aarch64 1.14:3.12.1:manylinux_2_17_aarch64; do
        folder="$target/libhdf5-aarch64-${version%%:*}"
        [ -d "$folder/h5py" ] || { mkdir -p "$folder" && (quietly "get a libhdf5 for aarch64" sh -c \
            "'$python' -m pip download --disable-pip-version-check --quiet --no-deps --only-binary=:all: --python-version 311 \
                --abi cp311 --platform '${version##*:}' --dest '$folder' 'h5py==$(echo "$version" | cut -d: -f2)' &&
             '$python' -m zipfile --extract '$folder'/h5py-*.whl '$folder'"); } || true
    done
    [ -e "$target/aarch64-lib/libz.so.1" ] || (quietly "get zlib for aarch64" sh -c \
        "mkdir -p '$target/aarch64-lib' && cd '$target/aarch64-lib' && dpkg --add-architecture arm64 && apt-get update &&
         apt-get download zlib1g:arm64 && dpkg -x zlib1g_*.deb . && cp -a lib/aarch64-linux-gnu/libz.so.1* .;
         dpkg --remove-architecture arm64") || true
    (quietly "build hyperslab-preload for aarch64" env CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc CXX_aarch64_unknown_linux_gnu=aarch64-linux-gnu-g++ \
        sh -c "rustup target add aarch64-unknown-linux-gnu && cargo build --locked --target aarch64-unknown-linux-gnu -p hyperslab-preload") || true
    export HYPERSLAB_AARCH64="$target"
}

# A browser and its driver, for the tests of pages.
need_browser() {
    command -v chromium >/dev/null && command -v chromedriver >/dev/null && return
    apt_packages "no chromium and chromedriver: install them to test pages in a browser" \
        chromium chromium-driver fonts-dejavu
}
