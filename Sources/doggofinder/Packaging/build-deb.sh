#!/bin/sh
# Builds doggofinder_VERSION_ARCHITECTURE.deb from the built program: build-deb.sh PROGRAM_FOLDER OUTPUT_FOLDER
#
# PROGRAM_FOLDER is .build/release, built with Swift's runtime linked statically (make build). The version is that of
# the program. The same program gives the same bytes, because all times in the package are that of the last commit.
set -eu

programs=$(realpath "$1")
output=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
repository=$(realpath "$here/../../..")
version=$("$programs/doggofinder" --version)
architecture=$(dpkg --print-architecture)
: "${MAINTAINER:=DoggoFinder <doggofinder@example.org>}"
: "${SOURCE_DATE_EPOCH:=$(git -C "$repository" log -1 --format=%ct 2> /dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# install_files MODE FOLDER FILE...
install_files() {
    mode=$1 folder=$tree/$2
    shift 2
    install -d "$folder"
    install -m "$mode" "$@" "$folder"
}

check_program() {
    if readelf -d "$programs/doggofinder" | grep -q 'NEEDED.*libswiftCore'; then
        echo "$programs/doggofinder needs Swift's libraries: expected a build with --static-swift-stdlib" >&2
        exit 1
    fi
}

# The program finds photo-worker and its resources beside itself, also when it is started through the link in /usr/bin.
add_program() {
    install_files 755 usr/lib/doggofinder "$programs/doggofinder" "$programs/photo-worker"
    strip --strip-unneeded --remove-section=.comment "$tree"/usr/lib/doggofinder/*
    for name in BreedModel Credentials Domain Geodata Localization Matching Migrations Pages; do
        cp -r "$programs/DoggoFinder_$name.resources" "$tree/usr/lib/doggofinder/"
    done
    chmod -R u=rwX,go=rX "$tree/usr/lib/doggofinder"
    install -d "$tree/usr/bin"
    ln -s ../lib/doggofinder/doggofinder "$tree/usr/bin/doggofinder"
}

add_units() {
    install -d "$tree/usr/lib/systemd/system"
    for service in "$here"/systemd/*.service; do
        cat "$service" "$here/systemd/hardening.conf" > "$tree/usr/lib/systemd/system/$(basename "$service")"
    done
    install_files 644 usr/lib/systemd/system "$here"/systemd/*.timer
    install_files 644 etc/doggofinder "$here/doggofinder.conf"
}

add_completions() {
    for shell in bash:bash-completion/completions/doggofinder zsh:zsh/vendor-completions/_doggofinder \
        fish:fish/vendor_completions.d/doggofinder.fish; do
        file=$tree/usr/share/${shell#*:}
        install -d "$(dirname "$file")"
        # The first line of bash's script names an interpreter, but the file is read by a running shell.
        "$programs/doggofinder" --generate-completion-script "${shell%%:*}" | sed '1{/^#!/d}' > "$file"
    done
}

add_documents() {
    documents=$tree/usr/share/doc/doggofinder
    catalogue=$repository/Sources/doggofinder/Documentation.docc
    install -d "$documents/notices" "$tree/usr/share/man/man1"
    python3 "$here/manpages.py" "$programs/doggofinder" "$tree/usr/share/man/man1"
    python3 "$here/copyright.py" > "$documents/copyright"
    python3 "$here/sbom.py" "$programs" > "$documents/sbom.json"
    for notice in "$repository"/.build/checkouts/*/NOTICE*; do
        package=$(basename "$(dirname "$notice")")
        install -m 644 "$notice" "$documents/notices/$package.txt"
    done
    install_files 644 usr/share/doc/doggofinder/Administration "$catalogue"/Administration/*.md
    install_files 644 usr/share/doc/doggofinder "$catalogue/Changelog.md" "$repository/geodata/ATTRIBUTION.md"
    changelog > "$documents/changelog"
    gzip -9n "$documents/changelog" "$tree"/usr/share/man/man1/*
    install -d "$tree/usr/share/lintian/overrides"
    install -m 644 "$here/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/doggofinder"
}

# Debian's format, with the headings of the version's section in Changelog.md.
changelog() {
    printf 'doggofinder (%s) bookworm; urgency=medium\n\n' "$version"
    sed -n "/^## $version /,/^## /s/^### /  * /p" "$repository/Sources/doggofinder/Documentation.docc/Changelog.md" | fold -sw 78 |
        sed 's/^\([^ ]\)/    \1/'
    printf '\n -- %s  %s\n' "$MAINTAINER" "$(date -uR -d "@$SOURCE_DATE_EPOCH")"
}

# The packages of the libraries that the programs load.
dependencies() {
    mkdir -p "$work/debian"
    : > "$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O tree/usr/lib/doggofinder/doggofinder tree/usr/lib/doggofinder/photo-worker) |
        sed -n 's/^shlibs:Depends=//p'
}

add_control() {
    install -d "$tree/DEBIAN"
    schema=$(find "$repository/Migrations/spatialite" -maxdepth 1 -name '[0-9]*.sql' | wc -l)
    for script in postinst prerm postrm; do install -m 755 "$here/debian/$script" "$tree/DEBIAN/$script"; done
    sed -e "s/@SCHEMA@/$schema/" -e "s/@VERSION@/$version/" "$here/debian/preinst.in" > "$tree/DEBIAN/preinst"
    chmod 755 "$tree/DEBIAN/preinst"
    install -m 644 "$here/debian/templates" "$tree/DEBIAN/templates"
    (cd "$tree" && find etc -type f | sed 's|^|/|') > "$tree/DEBIAN/conffiles"
    (cd "$tree" && find usr etc -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
    depends=$(dependencies)
    sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@MAINTAINER@/$MAINTAINER/" \
        -e "s/@DEPENDS@/$depends/" -e "s/@SIZE@/$(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f 1)/" \
        "$here/debian/control.in" > "$tree/DEBIAN/control"
}

check_program
add_program
add_units
add_completions
add_documents
add_control
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
dpkg-deb --root-owner-group -Zxz -z9 -Sextreme --build "$tree" "$output/doggofinder_${version}_$architecture.deb" > /dev/null
echo "$output/doggofinder_${version}_$architecture.deb"
