#!/usr/bin/env bash
# Installs what the benchmark compares with: the rivals and the documentation sites (Debian or Ubuntu, as root),
# and this folder's own npm packages.
set -euo pipefail
cd "$(dirname "$0")"

packages=(nginx-light wget wget2 python3-scrapy apache2-doc python3-doc linux-doc)
export DEBIAN_FRONTEND=noninteractive
apt-get update
# The expected number of pages is that of 15; another release of Debian has another.
if apt-cache show postgresql-doc-15 >/dev/null 2>&1; then
  packages+=(postgresql-doc-15)
else
  packages+=(postgresql-doc)
fi
# Not in every release.
if apt-cache show openjdk-17-doc >/dev/null 2>&1; then
  packages+=(openjdk-17-doc)
fi
apt-get install -y --no-install-recommends "${packages[@]}"

npm ci
