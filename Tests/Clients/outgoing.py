"""Decrypts push messages with http-ece, verifies their tokens with py-vapid, and webhooks with standardwebhooks.

Usage: outgoing.py ADDRESS PROGRAM DATA

The messages are made by `outgoing-samples`, which is built beside PROGRAM.
"""

import base64
import json
import os
import subprocess
import sys
from importlib.metadata import version

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from standardwebhooks import Webhook, WebhookVerificationError

samples = os.path.join(os.path.dirname(os.path.abspath(sys.argv[2])), "outgoing-samples")
failed = False


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def make(job):
    answer = json.loads(subprocess.run([samples], input=json.dumps(job) + "\n", text=True, check=True, capture_output=True).stdout)
    return answer["headers"], base64.b64decode(answer["body"])


def push(payload):
    browser, auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
    point = browser.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    headers, body = make({
        "endpoint": "https://push.example.org:443/send/abc", "p256dh": text(point), "auth": text(auth), "payload": payload})
    return browser, auth, headers, body


def check_decryption():
    sizes = set()
    for payload in ("", "x", "Argo è tornato a casa 🐕", "x" * 2048, "x" * 2049, "x" * 3993):
        browser, auth, headers, body = push(payload)
        assert headers["Content-Encoding"] == "aes128gcm" and len(body) <= 4096, (headers, len(body))
        plain = http_ece.decrypt(body, private_key=browser, auth_secret=auth, version="aes128gcm")
        assert plain.decode() == payload, plain
        sizes.add(len(body))
    assert len(sizes) == 2, sizes
    try:
        http_ece.decrypt(body[:-1] + bytes([body[-1] ^ 1]), private_key=browser, auth_secret=auth, version="aes128gcm")
    except http_ece.ECEException:
        return
    raise AssertionError("a changed message is decrypted")


def check_token():
    # py-vapid does not take the space of RFC 8292's examples.
    value = push("x")[2]["Authorization"].replace(", ", ",")
    assert Vapid02.verify(value), value
    token = value.split("t=")[1].split(",")[0]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["aud"] == "https://push.example.org" and claims["sub"] == "mailto:dogs@example.org", claims
    head, body, signature = token.split(".")
    other = text(json.dumps(claims | {"aud": "https://example.com"}).encode())
    try:
        verified = Vapid02.verify(value.replace(token, f"{head}.{other}.{signature}"))
    except Exception:
        verified = False
    assert not verified, "a changed token is valid"


def check_webhook():
    secrets = ["whsec_" + base64.b64encode(os.urandom(size)).decode() for size in (24, 64)]
    payload = json.dumps({"type": "listing.created", "name": "Forlì"}, ensure_ascii=False)
    headers, body = make({"id": "msg_1", "secrets": secrets, "payload": payload})
    for secret in secrets:
        assert Webhook(secret).verify(body, headers) == json.loads(payload)
    try:
        Webhook("whsec_" + base64.b64encode(os.urandom(24)).decode()).verify(body, headers)
    except WebhookVerificationError:
        return
    raise AssertionError("another secret is accepted")


for check, client, what in [
    (check_decryption, "http-ece", "push messages are decrypted, and have two lengths"),
    (check_token, "py-vapid", "tokens for push services are valid"),
    (check_webhook, "standardwebhooks", "webhooks are verified, with old and new secret"),
]:
    if os.access(samples, os.X_OK):
        try:
            check()
            result = "ok"
        except Exception as error:
            failed = True
            result = repr(error).replace("\t", " ").replace("\n", " ")
    else:
        result = "skipped: outgoing-samples is not built"
    print(f"{client} {version(client)}", what, result, sep="\t", flush=True)
sys.exit(failed)
