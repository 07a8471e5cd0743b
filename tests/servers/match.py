#!/usr/bin/env python3
"""Two people play a recorded match through the referee with a mail program that is not ours.

Reads and writes with imaplib and smtplib over TLS, answers the referee's own mails (In-Reply-To,
Reply-To), one letter a turn: the card, the move for either outcome, the guess for the next
summoning. Between letters the referee is killed without warning now and then. At the end the
mails must tell the record's outcome.

    match.py BINARY CONFIG RECORD IMAPS_PORT SUBMISSIONS_PORT CA [KILL_EVERY]
"""
import email
import email.policy
import email.utils
import imaplib
import json
import os
import signal
import smtplib
import ssl
import subprocess
import sys
import time
from email.message import EmailMessage

BINARY, CONFIG, RECORD, IMAPS, SMTPS, CA = sys.argv[1:7]
KILL_EVERY = int(sys.argv[7]) if len(sys.argv) > 7 else 7
DOMAIN = "pbem.test"
REFEREE = "referee@" + DOMAIN
PATIENCE = float(os.environ.get("PATIENCE", "30"))
TLS = ssl.create_default_context(cafile=CA)


class Referee:
    """The daemon, started and killed."""

    def __init__(self):
        self.process = None
        self.kills = 0

    def start(self):
        self.process = subprocess.Popen([BINARY, "-c", CONFIG, "-q", "run"])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=30) != 0:
            raise SystemExit("the daemon did not stop cleanly")


class Player:
    all = []

    def __init__(self, name):
        Player.all.append(self)
        self.name = name
        self.address = f"{name}@{DOMAIN}"
        self.mails = []
        self.seen = set()
        self.imap = None
        self.log_in()

    def log_in(self):
        self.imap = imaplib.IMAP4_SSL("localhost", int(IMAPS), ssl_context=TLS, timeout=20)
        self.imap.login(self.name, "secret-" + self.name)
        self.imap.select("INBOX")

    def fetch(self):
        """New mails of the referee, oldest first."""
        self.imap.noop()
        new = []
        _, data = self.imap.uid("search", None, "ALL")
        for uid in data[0].split():
            if uid in self.seen:
                continue
            self.seen.add(uid)
            _, parts = self.imap.uid("fetch", uid, "(RFC822)")
            raw = next(p[1] for p in parts if isinstance(p, tuple))
            new.append(email.message_from_bytes(raw, policy=email.policy.default))
        self.mails += new
        return new

    def wait(self, what, accept=lambda m: True):
        until = time.time() + PATIENCE
        while time.time() < until:
            for mail in self.fetch():
                if accept(mail):
                    return mail
            time.sleep(0.05)
        for other in Player.all:
            other.fetch()
            for mail in other.mails[-2:]:
                print(f"---- {other.name}: {mail['Subject']}\n{text(mail)}", file=sys.stderr)
        last = self.mails[-1] if self.mails else None
        raise SystemExit(f"{self.name} waited in vain for {what}; last mail: "
                         f"{last['Subject'] if last else None}\n{text(last) if last else ''}")

    def write(self, body, subject="hello", answer=None):
        mail = EmailMessage()
        mail["From"] = f"{self.name.title()} <{self.address}>"
        mail["To"] = REFEREE
        mail["Date"] = email.utils.formatdate(localtime=True)
        mail["Message-ID"] = email.utils.make_msgid(domain=DOMAIN)
        mail["Subject"] = subject
        if answer is not None:
            mail.replace_header("To", answer["Reply-To"] or REFEREE)
            mail.replace_header("Subject", "Re: " + answer["Subject"])
            mail["In-Reply-To"] = answer["Message-ID"]
            mail["References"] = ((answer["References"] or "") + " " + answer["Message-ID"]).strip()
            quoted = "\n".join("> " + line for line in text(answer).splitlines())
            body = (f"Hi,\n\n{body}\n\nCheers\n{self.name.title()}\n\n"
                    f"On Sat, 21 Nov 2026, Tulpa wrote:\n{quoted}\n")
        mail.set_content(body)
        with smtplib.SMTP_SSL("localhost", int(SMTPS), context=TLS, timeout=20) as smtp:
            smtp.login(self.name, "secret-" + self.name)
            smtp.send_message(mail)


def text(mail):
    return mail.get_body(("plain",)).get_content()


def turns(lines):
    """The record as one entry a turn: seat, cards, placement, steps."""
    turn = {}
    for line in lines:
        if "outcome" in line:
            return
        turn.setdefault("seat", line["seat"])
        for key in ("cards", "place", "steps"):
            if key in line:
                turn[key] = line[key]
        if "steps" in line:
            yield turn
            turn = {}


def letter(turn, following):
    """What the mover writes: his card, the move for either outcome, his guess for the next turn."""
    me = {"white": 0, "black": 1}[turn["seat"]]
    steps = "; ".join(turn["steps"])
    body = []
    if "cards" in turn:
        body.append("pick " + turn["cards"][me])
        if "place" in turn:
            body.append(f"if created: {turn['place']}; {steps}")
        else:
            body.append("else: " + steps)
    else:
        if "place" in turn:
            body.append("place " + turn["place"])
        body.append(steps)
    if following and "cards" in following:
        body.append("guess " + following["cards"][me])
    return "\n".join(body)


def main():
    lines = [json.loads(line) for line in open(RECORD)]
    header, outcome = lines[0], lines[-1].get("outcome")
    game = list(turns(lines[1:]))
    alice, bob = Player("alice"), Player("bob")
    players = {"white": alice, "black": bob}
    referee = Referee()
    referee.start()
    started = time.time()

    array = f" array={header['array']}" if "array" in header else ""
    alice.write(f"new {header['game']} vs bob@{DOMAIN} as white{array}", "let us play")
    confirm = alice.wait("an answer to `new`")
    if "confirm" in confirm["Subject"].lower():
        alice.write("yes", answer=confirm)
        alice.wait("the answer to the confirmation")
    invitation = bob.wait("the invitation")
    first = game[0]
    bob.write("accept" + (f"\nguess {first['cards'][1]}" if "cards" in first else ""),
              answer=invitation)
    bob.wait("the answer to accept")
    last = {"white": alice.wait("the first board"), "black": bob.mails[-1]}

    for number, turn in enumerate(game):
        me, other = turn["seat"], "black" if turn["seat"] == "white" else "white"
        following = game[number + 1] if number + 1 < len(game) else None
        if number % KILL_EVERY == KILL_EVERY - 1:
            referee.kill()
            if number % 2:
                players[me].write(letter(turn, following), answer=last[me])
                referee.start()
            else:
                referee.start()
                players[me].write(letter(turn, following), answer=last[me])
        else:
            players[me].write(letter(turn, following), answer=last[me])
        last[me] = players[me].wait(f"the answer to turn {number + 1}: {turn}")
        last[other] = players[other].wait(f"news of turn {number + 1}: {turn}")
        said = text(last[other])
        # the last turn's words are in the mail, or the receipts come first: the board tells
        if turn["steps"][0].split("=")[0] not in said and following is not None:
            raise SystemExit(f"turn {number + 1} is not told:\n{said}")
    end = text(last["white"]) + text(last["black"])
    if outcome and outcome["reason"].split()[0] not in end.lower():
        raise SystemExit(f"the outcome {outcome} is not told:\n{end}")
    referee.stop()
    time.sleep(0.2)
    ids = [m["Message-ID"] for p in players.values() for m in p.mails]
    if len(ids) != len(set(ids)):
        print(f"note: {len(ids) - len(set(ids))} mails came twice with one Message-ID, after a kill")
    print(f"{len(game)} turns, {len(set(ids))} mails, {referee.kills} kills, "
          f"{time.time() - started:.1f} s: {outcome}")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
