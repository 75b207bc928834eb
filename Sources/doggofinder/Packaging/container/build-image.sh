#!/bin/sh
# Makes an OCI archive of the Debian package on a minimal Debian 12: build-image.sh PACKAGE OUTPUT_FOLDER
#
# Needs mmdebstrap and zstd. Nothing is fetched but Debian's packages. The same packages give the same bytes: all
# times in the image are that of the last commit.
set -eu

package=$(realpath "$1")
output=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
version=$(dpkg-deb -f "$package" Version)
architecture=$(dpkg-deb -f "$package" Architecture)
: "${DEBIAN_MIRROR:=http://deb.debian.org/debian}"
: "${DEBIAN_SECURITY_MIRROR:=http://deb.debian.org/debian-security}"
: "${COMPRESSION:=19}"
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct 2> /dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A repository with the package alone, so that apt resolves what it depends on.
mkdir "$work/repository"
cp "$package" "$work/repository"
(cd "$work/repository" && dpkg-scanpackages -m . > Packages 2> /dev/null)

# The user has a number that volumes can rely on. adduser leaves an existing system user as it is.
cat > "$work/add-user" << 'HOOK'
echo 'doggofinder:x:900:900:DoggoFinder:/data:/usr/sbin/nologin' >> "$1/etc/passwd"
echo 'doggofinder:x:900:' >> "$1/etc/group"
echo 'doggofinder:!:1::::::' >> "$1/etc/shadow"
HOOK

# What the installation leaves behind, and the folder of the data.
cat > "$work/clean" << 'HOOK'
rm -rf "$1"/var/lib/doggofinder "$1"/var/backups/* "$1"/var/log/* "$1"/var/cache/ldconfig "$1"/var/cache/apt "$1"/var/cache/debconf \
    "$1"/var/lib/apt/lists "$1"/usr/share/mime/[!p]* "$1"/etc/passwd- "$1"/etc/group- "$1"/etc/shadow- "$1"/etc/gshadow- \
    "$1"/var/lib/dpkg/info/*.md5sums "$1"/var/lib/dpkg/info/*.templates
sed -i '/^deb \[trusted=yes\] copy:/d' "$1/etc/apt/sources.list"
find "$1" -xdev -type f -perm /6000 -exec chmod a-s {} +
install -d -m 700 -o 900 -g 900 "$1/data"
HOOK
chmod +x "$work/add-user" "$work/clean"

# Manuals and translations, and what only screens need: Mesa's drivers, weights of a font that no page or flyer uses, and
# grids for other datums than that of GPS. OpenCV brings Mesa, and never calls it.
excluded() {
    for path in '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' '/usr/share/lintian/*' '/usr/share/X11/*' \
        '/usr/share/doc/*' '/usr/share/proj/*' '/usr/lib/*/libLLVM*' '/usr/lib/*/libz3*' '/usr/lib/*/dri/*' \
        '/usr/share/fonts/truetype/lato/*' '/usr/share/bash-completion/*' '/usr/share/zsh/*' '/usr/share/fish/*'; do
        echo "path-exclude=$path"
    done
    for path in '/usr/share/doc/*/copyright' '/usr/share/doc/doggofinder/*' '/usr/share/proj/proj.*' \
        '/usr/share/fonts/truetype/lato/Lato-Regular.ttf' '/usr/share/fonts/truetype/lato/Lato-Bold.ttf' \
        '/usr/share/fonts/truetype/lato/Lato-Italic.ttf'; do
        echo "path-include=$path"
    done
}
excluded > "$work/dpkg.cfg"

mmdebstrap --quiet --mode=auto --variant=essential --architectures="$architecture" \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' --dpkgopt="$work/dpkg.cfg" \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --essential-hook="$work/add-user \"\$1\"" \
    --customize-hook="$work/clean \"\$1\"" \
    --include=usr-is-merged,ca-certificates,libheif1,libpq5,doggofinder bookworm "$work/layer.tar" \
    "deb $DEBIAN_MIRROR bookworm main" "deb $DEBIAN_MIRROR bookworm-updates main" \
    "deb $DEBIAN_SECURITY_MIRROR bookworm-security main" "deb [trusted=yes] copy:$work/repository ./"
zstd -q "-$COMPRESSION" -T0 "$work/layer.tar" -o "$work/layer.tar.zst"
python3 "$here/oci_archive.py" "$work/layer.tar" "$work/layer.tar.zst" "$version" "$architecture" \
    "$output/doggofinder_${version}_$architecture.oci.tar"
echo "$output/doggofinder_${version}_$architecture.oci.tar"
