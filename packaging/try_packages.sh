#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds the Debian packages in a bare system of a release, and tries them in another one: installed, upgraded over the version
# before, used, removed, purged. As root, with mmdebstrap; nothing outside the folder is changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: packaging/try_packages.sh SUITE [build|try]

  SUITE    bookworm, trixie, sid, or another one that the mirror has
  build    only ./bootstrap package in a bare system
  try      only what was built: install, upgrade, debian/tests, remove, purge

Systems, packages and ccache's store are kept in build/try-packages/SUITE; the last line is `N passed, N failed`.

  SANSCOPE_MIRROR   http://deb.debian.org/debian
  SANSCOPE_TRY_IN   another folder in place of build/try-packages
  DEB_BUILD_OPTIONS, SANSCOPE_JOBS are passed on; noopt builds in a third of the time
TEXT
}
[[ ${1:-} =~ ^[a-z]+$ ]] || { usage >&2; exit 2; }
suite=$1
what=${2:-all}
mirror=${SANSCOPE_MIRROR:-http://deb.debian.org/debian}
folder=${SANSCOPE_TRY_IN:-build/try-packages}/$suite
mkdir -p "$folder"
folder=$(realpath "$folder")
[ "$(id -u)" = 0 ] || { echo "as root" >&2; exit 2; }

passed=0 failed=0
# check CLAIM COMMAND...
check() {
    local claim=$1 said
    shift
    if said=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "passed  $claim"
        [[ $claim != debian/* ]] || tail -n 1 <<<"$said"
    else
        failed=$((failed + 1))
        printf 'FAILED  %s\n%s\n' "$claim" "$said"
    fi
}

# within ROOT COMMAND...: in that system, with mounts and processes of its own.
within() {
    local root=$1
    shift
    cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1; shift
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        mount --bind "$0" "$root/mnt"
        exec chroot "$root" "$@"' "$folder" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "${environment[@]}" "$@"
}
environment=()

# system NAME VARIANT PACKAGES: made once.
system() {
    local root=$folder/$1
    [ -e "$root/etc/debian_version" ] && return
    rm -rf "$root"
    mmdebstrap --mode=root --variant="$2" --include="$3" --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$root" "$mirror"
    # No service is started in it.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
}

build_packages() {
    local root=$folder/build-system
    system build-system buildd ca-certificates,ccache,git
    mkdir -p "$root/source" "$folder/ccache"
    find "$root/source" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$root/source"
    environment=(CCACHE_DIR=/mnt/ccache CCACHE_BASEDIR=/source CCACHE_MAXSIZE=10G
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SANSCOPE_JOBS+"SANSCOPE_JOBS=$SANSCOPE_JOBS"}
        ${DEB_BUILD_OPTIONS+"DEB_BUILD_OPTIONS=$DEB_BUILD_OPTIONS"})
    within "$root" /source/bootstrap package
    environment=()
    rm -rf "$folder/packages"
    cp -r "$root/source/build/packages" "$folder/packages"
}

# Everything in a system that a package may have left: files with owner and mode, capabilities, groups and users, answers. Not what
# apt, dpkg and man keep for themselves.
inventory() {
    within "$1" bash -c '
        find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /mnt -o -path /tmp -o -path /run -o -path /var/cache \
            -o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path "/etc/*-" -o -path "/root/*" \) -prune \
            -o -printf "%p %M %u %g\n"
        getcap -r /usr 2>/dev/null
        getent group; getent passwd
        debconf-show --listowners; dpkg -l | grep sanscope || true' | sort
}

# previous FOLDER: the packages once more, as version 0.9.9.
previous() {
    rm -rf "$1"
    mkdir -p "$1"
    local package version
    for package in "$folder"/packages/*.deb; do
        [[ $package != *-dbgsym_* ]] || continue
        version=$(dpkg-deb -f "$package" Version)
        rm -rf "$folder/unpacked"
        dpkg-deb -R "$package" "$folder/unpacked"
        sed -i "s/${version//./\\.}/0.9.9/g" "$folder/unpacked/DEBIAN/control"
        dpkg-deb --root-owner-group -Znone -b "$folder/unpacked" "$1/$(dpkg-deb -f "$package" Package)_0.9.9.deb" >/dev/null
    done
    rm -rf "$folder/unpacked"
}

recorder=/usr/libexec/sanscope/sanscope-recorder
# The recorder's owner, mode and capabilities.
rights() { within "$1" bash -c "stat -c '%U:%G %a' $recorder; getcap $recorder | grep -o 'cap_.*' | tr -d ' '"; }
for_root="root:root 755"
for_group="root:sanscope 750
cap_net_admin,cap_net_raw,cap_perfmon,cap_bpf=ep"
same() { diff <(echo "$1") <(echo "$2"); }

try_packages() {
    local root=$folder/try-system names versions
    system try-system minbase libcap2-bin,apt-utils,ca-certificates
    mapfile -t names < <(for package in "$folder"/packages/*.deb; do dpkg-deb -f "$package" Package; done | grep -v dbgsym)
    versions=$(dpkg-deb -f "$(ls "$folder"/packages/sanscope_*.deb)" Version)
    within "$root" apt-get -q update
    # Of a run before that was interrupted.
    within "$root" bash -c 'dpkg --configure -a; dpkg-query -f "\${Package}\n" -W "*sanscope*" | xargs -r apt-get -q -y purge' || true
    # What they and their tests depend on, so that it is not part of what they leave.
    local debs tools=(adduser man-db bash zsh fish tshark desktop-file-utils file iproute2 util-linux zstd debconf-utils)
    mapfile -t debs < <(for name in "${names[@]}"; do ls "$folder/packages/${name}"_*.deb; done | sed "s|^$folder|/mnt|")
    local depended
    mapfile -t depended < <(within "$root" apt-get -s install --no-install-recommends "${debs[@]}" | sed -n 's/^Inst \([^ ]*\).*/\1/p' |
        grep -vxFf <(printf '%s\n' "${names[@]}"))
    within "$root" apt-get -q -y install --no-install-recommends "${depended[@]}" "${tools[@]}"
    inventory "$root" >"$folder/before"

    check "installed without an answer, only root may record" within "$root" apt-get -q -y install --no-install-recommends "${debs[@]}"
    check "… as the recorder's rights show" same "$(rights "$root")" "$for_root"
    check "purged" within "$root" apt-get -q -y purge "${names[@]}"
    inventory "$root" >"$folder/after"
    check "… and nothing is left" diff "$folder/before" "$folder/after"

    previous "$folder/previous"
    within "$root" bash -c "echo 'sanscope sanscope/recorder-group boolean true' | debconf-set-selections"
    check "the version before is installed" within "$root" bash -c 'apt-get -q -y install --no-install-recommends /mnt/previous/*.deb'
    check "… and by its answer the group may record" same "$(rights "$root")" "$for_group"
    check "upgraded" within "$root" apt-get -q -y install --no-install-recommends "${debs[@]}"
    check "… to this version" same "$(within "$root" dpkg-query -W -f '${Version}' sanscope)" "$versions"
    check "… the answer holds" same "$(rights "$root")" "$for_group"

    rm -rf "$root/source"
    mkdir -p "$root/source"
    tar -c debian/tests captures/samples | tar -x -C "$root/source"
    local test
    for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
        check "debian/tests/$test" within "$root" "/source/debian/tests/$test"
    done
    rm -rf "$root/source"

    check "removed" within "$root" apt-get -q -y remove "${names[@]}"
    check "… and no program is left" bash -c '! ls "$1"/usr/bin/sanscope* "$1"/usr/libexec/sanscope' _ "$root"
    check "… but the answer is" within "$root" bash -c "debconf-show sanscope | grep -q recorder-group"
    check "purged, after a group that may record" within "$root" apt-get -q -y purge "${names[@]}"
    inventory "$root" >"$folder/after"
    check "… nothing is left" diff "$folder/before" "$folder/after"
}

case $what in
    build) build_packages ;;
    try) try_packages ;;
    all)
        build_packages
        try_packages
        ;;
    *) usage >&2; exit 2 ;;
esac
[ "$what" = build ] || echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
