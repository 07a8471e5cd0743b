#!/usr/bin/env bash
# A whole recorded match over real IMAP and SMTP with TLS, played by tests/servers/match.py, the referee killed now and
# then. Servers come from .ci/mailserver.sh.
#
#   tests/servers/match.sh BINARY [RECORD]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "$1")
record=${2:-$here/../conformance/tulpas-03.jsonl}
dir=$(mktemp -d /tmp/tulpa-match.XXXXXX)
chmod 755 "$dir"
export PORT_BASE=${PORT_BASE:-24000}
trap '"$here/../../.ci/mailserver.sh" stop "$dir/mail" || true; rm -rf "$dir"' EXIT
"$here/../../.ci/mailserver.sh" start "$dir/mail" >"$dir/ports"
. "$dir/mail/ports.env"
MAIL_CA=$dir/mail/tls/ca.pem
printf 'secret-referee\n' >"$dir/password"
chmod 600 "$dir/password"
cat >"$dir/tulpa.ron" <<RON
(
    referee: (name: "Tulpa", address: "referee@pbem.test"),
    state: "state",
    inbox: Imap(host: "localhost", port: $IMAPS_PORT, ca: "$MAIL_CA", user: "referee", password: File("password")),
    outbox: Smtp(host: "localhost", port: $SUBMISSIONS_PORT, ca: "$MAIL_CA", user: "referee", password: File("password")),
    poll: "5s",
)
RON
"$binary" -c "$dir/tulpa.ron" check
python3 "$here/match.py" "$binary" "$dir/tulpa.ron" "$record" "$IMAPS_PORT" "$SUBMISSIONS_PORT" "$MAIL_CA"
