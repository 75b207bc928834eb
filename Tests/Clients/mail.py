"""Creates an account and resets its password by mails that aiosmtpd receives with STARTTLS and AUTH.

Usage: mail.py ADDRESS PROGRAM DATA

The script starts its own DoggoFinder server, because the shared one sends no mail.
"""

import datetime
import email
import email.policy
import ipaddress
import json
import os
import queue
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import html5lib
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Performance"))
from readers import land, noon  # noqa: E402

program = sys.argv[2]
work = tempfile.mkdtemp()
mails = queue.Queue()


def certificate():
    """Creates a self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1)).add_extension(x509.SubjectAlternativeName(names), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
    with open(work + "/cert.pem", "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
    with open(work + "/key.pem", "wb") as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Handler:
    async def handle_DATA(self, server, session, envelope):
        mails.put((session.ssl is not None, session.authenticated, envelope))
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    isRight = isinstance(data, LoginPassword) and (data.login, data.password) == (b"dogs", b"secret")
    return AuthResult(success=isRight)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def send(method, path, body=None, token=None):
    request = urllib.request.Request(base + path, json.dumps(body).encode() if body else None, method=method)
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def next_mail():
    is_secure, is_authenticated, envelope = mails.get(timeout=300)
    message = email.message_from_bytes(envelope.content, policy=email.policy.strict)
    return is_secure and is_authenticated, envelope, message


def plain(message):
    """Returns the text of a mail. Its HTML part is valid and has the same links, and a mail contains all that it shows."""
    text, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert not message.defects and len(message.as_bytes()) < 60_000, message.defects
    document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html)
    links = set(re.findall(r"(?:http://127\.0\.0\.1\S+/|tel:)\S+", text))
    assert links and links <= {link.get("href") for link in document.iter("a")}, (links, html)
    pictures = [picture.get("src") for picture in document.iter("img")]
    parts = {f"cid:{part['Content-ID'].strip('<>')}" for part in message.walk() if part["Content-ID"]}
    assert set(pictures) == parts and not re.search(r"<(link|script|iframe)|url\(|@import", html), html
    return text


def check_registration():
    assert send("POST", "/v1/accounts", {"email": "anna@example.org", "password": "correct horse"}) == (202, None)
    is_safe, envelope, message = next_mail()
    assert is_safe, "in the clear, or without a password"
    assert envelope.mail_from == "dogs@example.org" and envelope.rcpt_tos == ["anna@example.org"]
    assert message["From"] == "Cani di Forlì <dogs@example.org>", message["From"]
    assert message["Auto-Submitted"] == "auto-generated" and message["Message-ID"] and message["Date"]
    token = re.search(r"token=(\S{43})", plain(message))[1]
    status, answer = send("POST", "/v1/verifications", {"token": token, "password": "correct horse"})
    assert status == 201 and answer["account"]["email"] == "anna@example.org", answer
    assert send("GET", "/v1/me", token=answer["token"])[0] == 200


def check_reset():
    assert send("POST", "/v1/password-resets", {"email": "anna@example.org"}) == (202, None)
    token = re.search(r"token=(\S{43})", plain(next_mail()[2]))[1]
    assert send("PUT", "/v1/password-resets", {"token": token, "password": "battery staple"}) == (204, None)
    assert "changed" in next_mail()[2]["Subject"]
    assert send("POST", "/v1/sessions", {"email": "anna@example.org", "password": "battery staple"})[0] == 201


def check_alert():
    """A listing near the centre of an alert, where it is about noon, so that the mail does not wait for the morning."""
    token = send("POST", "/v1/sessions", {"email": "anna@example.org", "password": "battery staple"})[1]["token"]
    lon, lat = next((lon, lat) for lon, lat in land(noon()) if abs(lat) < 60)
    search = {"status": "lost", "lon": lon, "lat": lat, "radius": 20000}
    status, alert = send("POST", "/v1/me/alerts", {"name": "Home", "search": search}, token)
    assert status == 201, alert
    guest = send("POST", "/v1/guests")[1]["token"]
    lost = {"status": "lost", "name": "Argo", "lon": lon + 0.01, "lat": lat + 0.01, "location_precision": "exact",
            "contact_phone": "+39 089 123456", "contact_phone_public": True, "point_confirmed": True}
    status, listing = send("POST", "/v1/listings", lost, guest)
    assert status == 201, listing
    message = next_mail()[2]
    text = plain(message)
    assert "from you" in message["Subject"] and message["List-Unsubscribe"] is None, message["Subject"]
    for line in [f"Call +39 089 123456: tel:+39089123456", "Not near me: " + re.search(rf"{base}/unsubscribe/[0-9a-f]{{32}}\?alert={alert['id']}", text)[0],
                 f"I saw this dog: {base}/listings/{listing['id']}/sighting"]:
        assert line in text.replace("\xa0", " "), text


def check_log():
    with open(work + "/log") as log:
        text = log.read()
    assert "token=" not in text and "anna@" not in text, text


certificate()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(work + "/cert.pem", work + "/key.pem")
controller = Controller(
    Handler(), hostname="127.0.0.1", port=free_port(), tls_context=context, require_starttls=True, auth_required=True,
    authenticator=authenticate)
controller.start()
with open(work + "/password", "w") as file:
    file.write("secret\n")
port = free_port()
base = f"http://127.0.0.1:{port}"
server = subprocess.Popen(
    [program, "serve", "--port", str(port), "--data", work + "/data", "--base-url", base,
     "--mail", f"smtp://127.0.0.1:{controller.port}?tls=required", "--mail-from", "Cani di Forlì <dogs@example.org>"],
    env=dict(os.environ, DOGGOFINDER_MAIL_USER="dogs", DOGGOFINDER_MAIL_PASSWORD_FILE=work + "/password",
             DOGGOFINDER_MAIL_CA_FILE=work + "/cert.pem"),
    stdout=subprocess.PIPE, stderr=open(work + "/log", "w"))
server.stdout.readline()
failed = False
try:
    for check, what in [
        (check_registration, "a mail by STARTTLS and AUTH makes an account"), (check_reset, "and sets a new password"),
        (check_alert, "an alert sends a valid mail with buttons"), (check_log, "the log tells neither tokens nor addresses"),
    ]:
        try:
            check()
            result = "ok"
        except Exception as error:
            failed = True
            result = repr(error).replace("\t", " ").replace("\n", " ")
        print("aiosmtpd", what, result, sep="\t")
finally:
    server.terminate()
    controller.stop()
sys.exit(failed)
