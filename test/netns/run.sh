#!/bin/sh
# Runs the tests that need several machines: each is a network namespace of Linux. Needs root, and iproute2 (Debian: apt-get
# install iproute2).
#
# All of it happens in a network of its own, which has no way out and ends with the last process in it: the machine's
# interfaces are not touched, and a run that was killed leaves nothing behind.
set -eu
cd "$(dirname "$0")/../.."

refuse() {
  echo "test:netns: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || refuse "needs root, to make network namespaces"
command -v ip >/dev/null || refuse "needs the command ip (Debian: apt-get install iproute2)"
unshare --net --mount true 2>/dev/null ||
  refuse "this machine lets even root make no network namespaces (a container needs --privileged)"

mkdir -p /run/netns
export PATH="$PWD/node_modules/.bin:$PATH"
# shellcheck disable=SC2016 # expanded inside
exec unshare --net --mount sh -euc '
  mount -t tmpfs tmpfs /run/netns
  ip link set lo up
  exec vitest run --project netns "$@"
' sh "$@"
