#!/bin/sh
# Installs what test/netns/run.sh needs on a Debian that has it not; where it cannot, run.sh says what is missing.
set -eu
if ! command -v ip >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends iproute2
fi
