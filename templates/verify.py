#!/usr/bin/env python3
"""Checks the ledger of one match: python3 verify.py LEDGER [PUBLIC-KEY-HEX]

Prints one line for each thing that does not hold and ends with 1, or says OK and ends with 0. Python 3.6 on, nothing to
install. It checks numbers, times, hashes, signatures, seeds, dice and cards; not whether the moves are legal (that does
`tulpa verify --rules`), nor the signature of a public beacon (it prints where that can be looked up).
"""
import datetime
import hashlib
import hmac
import re
import sys

# ---- Ed25519, RFC 8032, 5.1 ----
P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, p):
    q = (0, 1, 1, 0)
    while n > 0:
        if n & 1:
            q = add(q, p)
        p = add(p, p)
        n >>= 1
    return q


def same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def point(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (2 ** 255 - 1)
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(key, message, signature):
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    if same(times(8, a), (0, 1, 1, 0)) or same(times(8, r), (0, 1, 1, 0)):
        return False  # of small order: would fit many messages
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return same(times(s, BASE), add(r, times(k, a)))


# ---- the lines that are hashed ----
def H(line):
    return hashlib.sha256(line.encode()).hexdigest()


def chain(gid, j, c):
    return H("tulpa1/chain %s %d %s" % (gid, j, c))


def words_seed(gid, seat, words):
    return H("tulpa1/words %s %d %s" % (gid, seat, words))


def seed_commitment(gid, seat, seed):
    return H("tulpa1/seed %s %d %s" % (gid, seat, seed))


def entropy(gid, c0, seeds, b):
    return H(" ".join(["tulpa1/entropy", gid, c0] + seeds + [b]))


def seal(gid, turn, seat, card, nonce):
    return H("tulpa1/seal %s %d %d %s %s" % (gid, turn, seat, card, nonce))


def link(before, line):
    return H("tulpa1/ledger %s %s" % (before, line))


def dice(c, gid, i, e, b, sides):
    got, words, ctr = [], [], 0
    for n in sides:
        while True:
            if not words:
                line = "tulpa1/dice %s %d %s %s %d" % (gid, i, e, b, ctr)
                d = hmac.new(bytes.fromhex(c), line.encode(), hashlib.sha256).digest()
                words = [int.from_bytes(d[k:k + 4], "big") for k in range(0, 32, 4)]
                ctr += 1
            w = words.pop(0)
            if w < 2 ** 32 - 2 ** 32 % n:
                got.append(1 + w % n)
                break
    return got


# ---- a ledger's lines ----
ANY = "saw mid "
KEYS = {  # what must stand | what may
    "game": "id rules seats anchor n per key|book opt reveal from start_beacon roll_beacon",
    "seat": "seat is|", "seedcommit": "seat c|", "seed": "seat s|words", "bind": "round|t j",
    "start": "e|places b sig round", "roll": "t j c dice got|for seat b sig round",
    "seal": "t seat c by|", "open": "t seat card nonce|", "result": "t match|seat why",
    "move": "t seat by text|", "pass": "t seat|", "timeout": "t seat|for", "late": "seat|t",
    "admin": "act|seat text", "note": "h|seat", "end": "winner reason|seat",
}
LONG = "text opt sig dice got reason from".split()
HEX = re.compile("[0-9a-f]{64}$")
NUM = re.compile("(0|[1-9][0-9]{0,18})$")


class Wrong(Exception):
    pass


def need(ok, what):
    if not ok:
        raise Wrong(what)


def num(text, low=0, high=2 ** 32 - 1):
    need(text is not None and NUM.match(text) and low <= int(text) <= high, "%s is no number from %d to %d" % (text, low, high))
    return int(text)


def h64(text, what):
    need(text is not None and HEX.match(text), "%s is not 64 hex digits in small letters" % what)
    return text


def unescape(raw):
    plain = re.sub("%([0-9A-F]{2})", "", raw)
    need("%" not in plain, "a broken %XX")
    for code in re.findall("%([0-9A-F]{2})", raw):
        need(not 0x21 <= int(code, 16) <= 0x7e or code == "25", "%%%s needs no escape" % code)
    return re.sub("%([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), raw).encode("latin-1")


def parse(line):
    tokens = line.split(" ")
    need(len(line) <= 8192 and len(tokens) >= 3, "not a ledger line")
    for token in tokens:
        need(re.match("[!-~]{1,71}$", token), "not words of printable ASCII with one blank between them")
    time = tokens[1]
    need(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", time) and time >= "1970", "no time")
    try:
        datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise Wrong("no time: " + time)
    need(tokens[2] in KEYS, "no such kind: " + tokens[2])
    must, may = KEYS[tokens[2]].split("|")
    pairs = {}
    for token in tokens[3:]:
        key, _, value = token.partition("=")
        more = re.match("([a-z]+)([2-9]|[1-9][0-9])$", key)
        known = (ANY + must + " " + may).split()
        need(value, "not key=value: " + token)
        need(key in known or more and more.group(1) in LONG and more.group(1) in known, "no such key: " + key)
        need(key not in pairs, "twice: " + key)
        unescape(value)
        pairs[key] = value
    for key in must.split():
        need(key in pairs, tokens[2] + " needs " + key)
    for key in LONG:
        if key in pairs:
            n = 2
            while key + str(n) in pairs:
                pairs[key] += pairs[key + str(n)]
                n += 1
            try:
                pairs[key] = unescape(pairs[key]).decode()
            except UnicodeDecodeError:
                need(key != "text", "text is not UTF-8")
    return num(tokens[0], 0, 2 ** 63), time, tokens[2], pairs


class Ledger:
    def __init__(self, key=None):
        self.key, self.gid, self.links, self.heads, self.urls = key, None, [], [], []
        self.commits, self.seeds, self.any_seed, self.fixed = {}, {}, False, False
        self.e, self.bound, self.ended, self.time = None, {}, False, ""
        self.cards, self.shown, self.late, self.results, self.fresh = {}, {}, set(), {}, []

    def game(self, p):
        need(re.match("[a-z2-7]{10}$", p["id"]), "no game id")
        self.seats, self.per, self.n = num(p["seats"], 1, 16), num(p["per"], 1, 2 ** 20), num(p["n"], 1, 2 ** 20)
        self.known = (0, h64(p["anchor"], "anchor"))
        need(self.key in (None, h64(p["key"], "key")), "the ledger is under another key")
        self.key = p["key"]
        need(p.get("reveal", "both") in ("both", "outcome"), "reveal")
        need(p.get("start_beacon", "drand") in ("drand", "table") and p.get("roll_beacon", "drand") == "drand", "beacon")
        self.gid = p["id"]
        self.both, self.start_beacon, self.roll_beacon = p.get("reveal") != "outcome", p.get("start_beacon"), p.get("roll_beacon")

    def slot(self, p):
        t, j = num(p["t"]), num(p.get("j"))
        i = self.per * (t - 1) + j + 1
        need(t > 0 and j < self.per and i <= self.n, "this roll lies outside of the chain")
        return i

    def beacon(self, p, promised):
        need(promised or "b" not in p, "the game line promises no beacon")
        if not promised:
            return "-"
        need("b" in p, "the promised beacon is missing")
        if promised == "drand":
            i = self.slot(p) if "t" in p else 0
            need(i in self.bound and num(p.get("round"), 1, 2 ** 63) == self.bound[i], "the beacon's round was not fixed before")
            try:
                sig = bytes.fromhex(p.get("sig", ""))
            except ValueError:
                raise Wrong("sig")
            need(re.match("([0-9a-fA-F]{2})+$", p.get("sig", "")) and hashlib.sha256(sig).hexdigest() == p["b"], "b is not the hash of the beacon's signature")
            self.urls.append("https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/public/" + p["round"])
        return p["b"]

    def seat(self, p):
        return num(p["seat"], 1, self.seats)

    def entry(self, time, kind, p):
        need(not self.ended or kind in ("open", "note", "admin"), "the game is over; nothing but openings and notes can follow")
        if "saw" in p:
            saw = re.match("(0|[1-9][0-9]{0,9}):([0-9a-f]{16})$", p["saw"])
            need(saw and int(saw.group(1)) < len(self.links) - 1 and self.links[int(saw.group(1))].startswith(saw.group(2)), "somebody saw a head that is not of this ledger")
        need(re.match("[0-9a-f]{16}$", p.get("mid", "0" * 16)), "mid")
        if "seat" in p:
            self.seat(p)
        if "t" in p:
            num(p["t"])
        need(self.e is None or kind not in ("seedcommit", "seed", "start"), "this came after the start")
        getattr(self, "do_" + kind)(p, time)

    def do_game(self, p, _):
        raise Wrong("a second game line")

    def do_seedcommit(self, p, _):
        s = self.seat(p)
        h64(p["c"], "c")
        need(not self.any_seed, "a seed is committed to after other seeds were known")
        need(s not in self.commits, "a second commitment of this seat")
        self.commits[s], self.fixed = p["c"], False

    def do_seed(self, p, _):
        s, seed = self.seat(p), h64(p["s"], "s")
        need(s not in self.seeds, "a second seed of this seat")
        if s in self.commits:
            need("words" not in p, "words of a seat that committed")
            need(seed_commitment(self.gid, s, seed) == self.commits[s], "the seed does not fit its commitment")
            need(all(k in self.seeds or k in self.commits for k in range(1, self.seats + 1)), "a seed is opened before all have given or committed to theirs")
            need(self.fixed, "a seed is opened before a head fixed what the others gave")
        else:
            need("words" in p or seed == "0" * 64, "a seed that was never committed to")
            if "words" in p:
                words = p["words"].replace("_", " ")
                need(re.match("[a-z0-9 .,:'-]{1,60}$", words) and words == " ".join(words.split()), "these are no words")
                need(words_seed(self.gid, s, words) == seed, "the seed is not the hash of its words")
            self.fixed = False
        self.seeds[s], self.any_seed = seed, True

    def do_bind(self, p, time):
        i = self.slot(p) if "t" in p else 0
        need(i or self.e is None, "this came after the start")
        when = datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        ahead = max(0, int(when) + 600 - 1692803367)
        need(num(p["round"], 1, 2 ** 63) == -(-ahead // 3) + 1, "not the first round 600 s ahead")
        need(i >= self.known[0] and i not in self.bound, "bound twice, or after its roll")
        self.bound[i] = int(p["round"])

    def do_start(self, p, _):
        b = self.beacon(p, self.start_beacon)
        if "places" in p:
            places = p["places"].split(",")
            need(len(places) == self.seats and all(num(x, 1, self.seats) for x in places), "places")
        need(all(s in self.seeds for s in self.commits), "a committed seed was never opened")
        e = entropy(self.gid, self.known[1], [self.seeds.get(s, "0" * 64) for s in range(1, self.seats + 1)], b)
        need(p["e"] == e, "e is not what the anchor and the seeds give: " + e)
        self.e = e

    def do_roll(self, p, _):
        need(self.e, "the match has not begun")
        i, (last, known) = self.slot(p), self.known
        need(i > last, "this roll does not come after the one above")
        c = h64(p["c"], "c")
        self.known = (i, c)
        for j in range(i, last, -1):
            c = chain(self.gid, j, c)
        need(c == known, "c does not lead to the element known before: %s" % known)
        b = self.beacon(p, self.roll_beacon)
        sides = [num(n, 2, 2 ** 32) for n in p["dice"].split(",")]
        need(len(sides) <= 64, "too many dice")
        got = ",".join(map(str, dice(p["c"], self.gid, i, self.e, b, sides)))
        need(p["got"] == got, "the dice are %s, not %s" % (got, p["got"]))
        need(p.get("for", "turn") in ("opening", "turn", "card"), "for")

    def do_move(self, p, _):
        need(self.e, "the match has not begun")
        need(p["by"] in ("player", "deadline", "master"), "by")

    def do_pass(self, p, _):
        need(self.e, "the match has not begun")

    def do_seal(self, p, _):
        t, s, cards = num(p["t"]), self.seat(p), self.cards.setdefault(num(p["t"]), {})
        h64(p["c"], "c")
        need(p["by"] in ("ref", "dice", "player"), "by")
        need(s not in cards, "a second card of this seat for this turn")
        need(t not in self.results and not any(k[0] == t for k in self.shown), "a card laid down after the other was open")
        need(all(p["c"] != c for pair in self.cards.values() for c, _ in pair.values()), "a copied commitment")
        cards[s] = (p["c"], p["by"])

    def do_open(self, p, _):
        t, s = num(p["t"]), self.seat(p)
        cards = self.cards.get(t, {})
        need(s in cards, "this seat has no card for this turn")
        need((t, s) not in self.shown, "this card is open already")
        need(len(cards) == 2 or self.ended, "a card is opened before the other lies on the table")
        need(re.match("[a-z0-9-]{1,16}$", p["card"]), "card")
        need(seal(self.gid, t, s, p["card"], h64(p["nonce"], "nonce")) == cards[s][0], "card and nonce do not fit the commitment")
        self.shown[t, s] = p["card"]
        self.agrees(t)

    def agrees(self, t):
        yes, default = self.results.get(t, (None, True))
        both = [c for (turn, _), c in self.shown.items() if turn == t]
        need(default or len(both) < 2 or yes == (both[0] == both[1]), "the result is not what the cards say")

    def do_result(self, p, _):
        t, why = num(p["t"]), p.get("why")
        need(p["match"] in ("yes", "no") and why in (None, "default"), "match or why")
        cards, yes = self.cards.get(t, {}), p["match"] == "yes"
        need(t not in self.results, "a second result for this turn")
        need(len(cards) == 2, "a result without two cards")
        self.results[t] = (yes, why == "default")
        self.fresh.append(t)
        self.agrees(t)
        if why:
            own = [s for s in cards if cards[s][1] == "player"]
            late = [s for s in own if (t, s) in self.late and (t, s) not in self.shown]
            mover = num(p.get("seat"), 1, self.seats)
            need(own and (not yes if mover in late else not late or yes or mover in own), "nobody can have defaulted so")

    def hidden(self, t):
        return any((t, s) not in self.shown and not (c[1] == "player" and (t, s) in self.late) for s, c in self.cards.get(t, {}).items())

    def do_timeout(self, p, _):
        if p.get("for") == "open":
            self.late.add((num(p["t"]), self.seat(p)))

    def do_seat(self, p, _):
        pass

    do_late = do_admin = do_note = do_seat

    def do_end(self, p, _):
        need(p["winner"] == "none" or [num(w, 1, self.seats) for w in p["winner"].split(",")], "winner")
        self.ended = True

    def head(self, line):
        m = re.match("head ([a-z2-7]{10}) (0|[1-9][0-9]{0,18}) ([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{64})$", line)
        need(m, "not a head")
        gid, seq, h = m.group(1), int(m.group(2)), m.group(3)
        need(gid == self.gid, "a head of another game")
        need(seq == len(self.links) - 1 and (not self.heads or self.heads[-1][0] < seq), "a head in the wrong place")
        need(h == self.links[-1], "the lines above are not those that were signed")
        self.heads.append((seq, h, bytes.fromhex(m.group(4) + m.group(5))))
        self.fixed, fresh, self.fresh = True, self.fresh, []
        need(not self.both or not any(self.hidden(t) for t in fresh), "cards were compared and are not open under this head")


def verify(data, key=None):
    """Findings, each (line number, text); and the ledger."""
    ledger, found = Ledger(key), []
    if not data or len(data) > 16 * 2 ** 20 or b"\r" in data or any(b > 127 for b in data) or not data.endswith(b"\n"):
        return [(0, "the file is empty, too large, not plain ASCII, or its last line was cut")], ledger
    lines = data.decode().split("\n")[:-1]
    for at, line in enumerate(lines, 1):
        try:
            if line.startswith("head"):
                ledger.head(line)
                continue
            ledger.links.append(link(ledger.links[-1] if ledger.links else "0" * 64, line))
            seq, time, kind, p = parse(line)
            need(seq == len(ledger.links) - 1, "a line is missing or was moved")
            need(time >= ledger.time, "the time runs backwards")
            ledger.time = time
            if ledger.gid is None:
                need(kind == "game", "a ledger begins with its game line")
                ledger.game(p)
            else:
                ledger.entry(time, kind, p)
        except Wrong as wrong:
            found.append((at, str(wrong)))
            if ledger.gid is None or len(found) > 50:
                return found, ledger
    if not lines[-1].startswith("head"):
        found.append((0, "the file does not end with a head"))
    if ledger.ended and any(ledger.hidden(t) for t in ledger.results):
        found.append((0, "the game is over and cards were never opened"))
    if not found:
        for seq, h, signature in ledger.heads:
            if not signed(bytes.fromhex(ledger.key), ("tulpa1/head %s %d %s" % (ledger.gid, seq, h)).encode(), signature):
                found.append((0, "the head of entry %d is not signed with the key" % seq))
    return found, ledger


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    data = sys.stdin.buffer.read() if sys.argv[1] == "-" else open(sys.argv[1], "rb").read()
    found, ledger = verify(data, sys.argv[2].lower() if len(sys.argv) == 3 else None)
    for at, what in found:
        print("%s:%d: %s" % (sys.argv[1], at, what))
    for url in ledger.urls:
        print("look up the beacon: " + url)
    if found:
        return 1
    print("OK: game %s, entries 0 to %d, head %s" % (ledger.gid, len(ledger.links) - 1, ledger.links[-1]))
    print("signed with %s: compare with your first mail" % ledger.key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
