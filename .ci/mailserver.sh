#!/bin/sh
# Real mail servers for the tests, on loopback, without privileges, all files below one directory.
#
#   .ci/mailserver.sh start DIR     Dovecot (IMAP, LMTP, logins) and Exim (SMTP, submission); prints NAME=VALUE lines,
#                                   also left in DIR/ports.env, once every port answers
#   .ci/mailserver.sh stop DIR      ends both
#   .ci/mailserver.sh install       the Debian packages (needs root)
#
# PORT_BASE (default 21000) is added to 143, 993, 24, 25, 587 and 465. Users: referee alice bob carol dave erin, the
# password of NAME is secret-NAME, the domain is pbem.test. Mail to reject-* is refused with 550, to defer-* with 451,
# to full-* with 552 after it was read. Port 25 is the outside world: no login, local recipients only.
set -eu

usage() { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 1 ] || usage

if [ "$1" = install ]; then
    export DEBIAN_FRONTEND=noninteractive
    # Debian would start its own daemons; ours are enough.
    [ -e /usr/sbin/policy-rc.d ] || { printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d; }
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends dovecot-core dovecot-imapd dovecot-lmtpd exim4-daemon-heavy openssl ca-certificates python3 strace
    exit 0
fi

[ $# -eq 2 ] || usage
dir=$2

stop() {
    for name in exim dovecot; do
        file=$dir/run/$name.pid
        [ -s "$file" ] || [ "$name" != dovecot ] || file=$dir/run/master.pid
        if [ -s "$file" ]; then
            pid=$(cat "$file")
            kill "$pid" 2>/dev/null || true
            n=0
            while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
            rm -f "$file"
        fi
    done
}

case $1 in
    stop) stop; exit 0 ;;
    start) ;;
    *) usage ;;
esac

mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
# Unix sockets have short names.
[ ${#dir} -le 70 ] || { echo "mailserver.sh: \`$dir\` is too long a path" >&2; exit 2; }
for tool in dovecot exim4 openssl; do
    PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "mailserver.sh: no \`$tool\`; try: $0 install" >&2; exit 1; }
done
PATH=$PATH:/usr/sbin

base=${PORT_BASE:-21000}
domain=pbem.test
users='referee alice bob carol dave erin'
imap=$((base + 143)) imaps=$((base + 993)) lmtp=$((base + 24))
smtp=$((base + 25)) sub=$((base + 587)) subs=$((base + 465))

# Root hands over to nobody: Dovecot gives no mailbox to uid 0.
if [ "$(id -u)" = 0 ]; then
    uid=$(id -u nobody) gid=$(id -g nobody) me=nobody group=$(id -gn nobody)
    as="setpriv --reuid=$uid --regid=$gid --clear-groups"
else
    uid=$(id -u) gid=$(id -g) me=$(id -un) group=$(id -gn) as=
fi

mkdir -p "$dir/run" "$dir/state" "$dir/log" "$dir/tls" "$dir/spool" "$dir/etc" "$dir/mail"
: > "$dir/etc/users"
for user in $users; do echo "$user:{PLAIN}secret-$user::::::" >> "$dir/etc/users"; done

# An authority of our own and a certificate signed by it, and a stranger's authority that must not be believed.
if [ ! -s "$dir/tls/chain.pem" ]; then
    (
        cd "$dir/tls"
        ec='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
        for who in ca stranger; do
            # shellcheck disable=SC2086
            openssl req -x509 $ec -days 30 -subj "/CN=tulpa tests, $who" -keyout $who.key -out $who.pem \
                -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
        done
        # shellcheck disable=SC2086
        openssl req $ec -subj /CN=localhost -keyout leaf.key -out leaf.csr 2>/dev/null
        echo 'basicConstraints=CA:FALSE
extendedKeyUsage=serverAuth
subjectAltName=DNS:localhost' > leaf.ext
        openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile leaf.ext -out leaf.pem 2>/dev/null
        cat leaf.pem ca.pem > chain.pem
    )
fi

cat > "$dir/etc/dovecot.conf" <<CONF
base_dir = $dir/run
state_dir = $dir/state
log_path = $dir/log/dovecot.log
instance_name = tulpa-$base
protocols = imap lmtp
listen = 127.0.0.1
default_internal_user = $me
default_internal_group = $group
default_login_user = $me
default_vsz_limit = 0
ssl = yes
ssl_cert = <$dir/tls/chain.pem
ssl_key = <$dir/tls/leaf.key
disable_plaintext_auth = yes
auth_mechanisms = plain login
auth_username_format = %Ln
recipient_delimiter = +
mail_location = maildir:~/Maildir
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 100
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%n $dir/etc/users
}
userdb {
  driver = static
  args = uid=$uid gid=$gid home=$dir/mail/%n
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Processed {
    auto = create
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = $imap
  }
  inet_listener imaps {
    port = $imaps
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = $lmtp
  }
}
service auth {
  unix_listener smtp-auth {
    mode = 0600
  }
}
CONF

cat > "$dir/etc/exim.conf" <<CONF
exim_user = $me
exim_group = $group
deliver_drop_privilege = true
spool_directory = $dir/spool
log_file_path = $dir/log/exim-%slog
pid_file_path = $dir/run/exim.pid
local_interfaces = 127.0.0.1
disable_ipv6 = true
daemon_smtp_ports = $smtp : $sub : $subs
tls_on_connect_ports = $subs
tls_advertise_hosts = *
tls_certificate = $dir/tls/chain.pem
tls_privatekey = $dir/tls/leaf.key
# every mail goes out at once, however many came over one connection
smtp_accept_queue_per_connection = 0
primary_hostname = mail.$domain
qualify_domain = $domain
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
message_size_limit = 5M
acl_smtp_mail = from
acl_smtp_rcpt = to
acl_smtp_data = whole

begin acl
from:
  deny !authenticated = *
       condition = \${if !={\$received_port}{$smtp}}
       message = 5.7.0 log in first
  deny authenticated = *
       condition = \${if def:sender_address}
       condition = \${if !eqi{\${sg{\$sender_address_local_part}{[+].*}{}}}{\$authenticated_id}}
       message = 5.7.1 you may not send as this address
  accept
to:
  deny local_parts = ^reject-
       message = 5.1.1 no such mailbox
  defer local_parts = ^defer-
       message = 4.2.0 try again later
  accept local_parts = ^full-
  require verify = recipient
       message = 5.1.1 no such user
  accept domains = $domain
  deny message = 5.7.1 no relay
whole:
  deny condition = \${if match{\$recipients}{full-}}
       message = 552 5.2.2 the mailbox is full
  accept

begin routers
full:
  driver = redirect
  local_parts = ^full-
  data = :blackhole:
local:
  driver = accept
  domains = $domain
  local_part_suffix = +*
  local_part_suffix_optional
  condition = \${lookup{\$local_part}lsearch{$dir/etc/users}{yes}{no}}
  transport = mailbox

begin transports
mailbox:
  driver = smtp
  protocol = lmtp
  hosts = 127.0.0.1
  hosts_override
  allow_localhost
  port = $lmtp
  hosts_avoid_tls = *
  rcpt_include_affixes = true

begin retry
* * F,1h,1m

begin authenticators
plain:
  driver = dovecot
  public_name = PLAIN
  server_socket = $dir/run/smtp-auth
  server_set_id = \$auth1
  server_advertise_condition = \${if def:tls_in_cipher}
login:
  driver = dovecot
  public_name = LOGIN
  server_socket = $dir/run/smtp-auth
  server_set_id = \$auth1
  server_advertise_condition = \${if def:tls_in_cipher}
CONF
chmod 644 "$dir/etc/exim.conf"
[ "$(id -u)" != 0 ] || chown -R "$uid:$gid" "$dir"

$as dovecot -c "$dir/etc/dovecot.conf"
$as exim4 -C "$dir/etc/exim.conf" -bd -q1m

n=0
for port in $imap $imaps $lmtp $smtp $sub $subs; do
    until bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 200 ] || { echo "mailserver.sh: nothing answers on port $port; see $dir/log" >&2; stop; exit 1; }
        sleep 0.05
    done
done

cat > "$dir/ports.env" <<OUT
TULPA_MAIL_DIR=$dir
IMAP_PORT=$imap
IMAPS_PORT=$imaps
LMTP_PORT=$lmtp
SMTP_PORT=$smtp
SUBMISSION_PORT=$sub
SUBMISSIONS_PORT=$subs
OUT
cat "$dir/ports.env"
