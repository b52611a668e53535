#!/bin/sh
# newer-pgbouncer.sh FOLDER: downloads PgBouncer of Debian 13 and its libraries with apt-get on Debian 12, into a folder, and prints
# the command that runs it. The mirror is that of the system. Nothing is installed.
set -eu
suite=trixie
folder=$1
mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
  sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' | head -n 1)
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/packages" "$folder/root"
chmod -R go+rX "$folder"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$folder/sources.list"
get() {
  apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@" >&2
}
get update
cd "$folder/packages"
for package in pgbouncer libc6 libevent-2.1-7t64 libssl3t64 libcares2 libpam0g libsystemd0 libaudit1 libcap-ng0 libzstd1 zlib1g \
  libcap2 libldap2 libsasl2-2; do
  get download "$package/$suite"
done
for package in *.deb; do dpkg-deb -x "$package" "$folder/root"; done
chmod -R go+rX "$folder/root"
libraries=$(dirname "$(find "$folder/root/usr/lib" -name libc.so.6)")
echo "$(find "$libraries" -name 'ld-linux*.so*' | head -n 1) --library-path $libraries $folder/root/usr/sbin/pgbouncer"
