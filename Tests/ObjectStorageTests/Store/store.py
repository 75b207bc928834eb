"""moto's server of S3 on 127.0.0.1, behind a proxy that can be told to fail. It ends with its standard input.

Usage: store.py [CERTIFICATE]. With a PEM file of a certificate and its key, the proxy speaks TLS.

moto compares every signature with the keys. The first line of the output is JSON: port, id and secret of the keys.
Each line of the input is a command, answered by one line of JSON:

  fail KIND [COUNT]  treats the next COUNT requests so, by default all; `fail none` ends it. The kinds are those of FAULTS
  keys               the names of all objects
  counts             requests, those of photos among them, and connections since the last `counts`
  fill COUNT [START] makes objects START stranger-00000...
  put NAME TEXT      makes an object, with no digest
  remove NAME        removes an object
  age NAME SECONDS   makes an object older
  remove-bucket, make-bucket
"""

import datetime
import http.client
import http.server
import json
import os
import ssl
import sys
import threading
import time

# The number of requests that moto answers without a look at their keys: those that make the keys.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"

import boto3
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

BUCKET = "photos"
SKEW = (b"<Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the request time and the current time "
        b"is too large.</Message></Error>")
FAULTS = ("none", "500", "503", "403", "redirect", "skew", "hang", "cut-before", "cut-after", "half", "alter", "endless",
          "late")

fault, left = "none", 0
requests = photos = connections = 0
lock = threading.Lock()


def next_fault(path):
    global left, requests, photos
    with lock:
        requests += 1
        photos += path.endswith(".jpg")
        if left == 0:
            return "none"
        left -= 1
        return fault


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self):
        global connections
        super().setup()
        with lock:
            connections += 1

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        self.close_connection = True

    def forward(self, body):
        """Returns moto's status, headers and body."""
        upstream = http.client.HTTPConnection("127.0.0.1", moto_port, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                upstream.putheader(name, value)
        upstream.endheaders(body)
        reply = upstream.getresponse()
        content = reply.read()
        headers = [(name, value) for name, value in reply.getheaders()
                   if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date")]
        upstream.close()
        return reply.status, headers, content

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = next_fault(self.path)
        if kind in ("500", "503"):
            return self.answer(int(kind), b"<Error><Code>SlowDown</Code></Error>")
        if kind == "403":
            return self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        if kind == "redirect":
            return self.answer(301, b"<Error><Code>PermanentRedirect</Code></Error>",
                               [("x-amz-bucket-region", "eu-south-1"), ("Location", "http://127.0.0.1:1/photos")])
        if kind == "skew":
            return self.answer(403, SKEW)
        if kind == "cut-before":
            return self.cut()
        if kind == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return self.cut()
        if kind == "hang":
            for _ in range(600):
                if left == 0:
                    break
                time.sleep(0.1)
            return self.cut()
        if kind == "late":
            # The client gives up, and the store does it all the same, after `fail none`.
            while left != 0:
                time.sleep(0.05)
        status, headers, content = self.forward(body)
        if kind == "late":
            return self.cut()
        if kind == "cut-after":
            return self.cut()
        if kind == "half":
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            for header in headers:
                self.send_header(*header)
            self.end_headers()
            self.wfile.write(content[:len(content) // 2])
            return self.cut()
        if kind == "alter" and self.command == "GET":
            content = content[:-1] + bytes([content[-1] ^ 1])
        self.answer(status, content, headers)

    do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = do


def command(words):
    global fault, left, requests, photos, connections
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    match words:
        case ["fail", "none"]:
            left = 0
        case ["fail", kind, *count] if kind in FAULTS:
            fault, left = kind, int(count[0]) if count else -1
        case ["keys"]:
            return sorted(backend.get_bucket(BUCKET).keys)
        case ["counts"]:
            with lock:
                told = {"requests": requests, "photos": photos, "connections": connections}
                requests = photos = connections = 0
            return told
        case ["fill", count, *start]:
            for number in range(int(count)):
                backend.put_object(BUCKET, f"{''.join(start)}stranger-{number:05}", b"x")
        case ["put", name, text]:
            backend.put_object(BUCKET, name, text.encode())
        case ["remove", name]:
            backend.delete_object(BUCKET, name)
        case ["age", name, seconds]:
            key = backend.get_object(BUCKET, name)
            key.last_modified -= datetime.timedelta(seconds=int(seconds))
        case ["remove-bucket"]:
            for key in list(backend.get_bucket(BUCKET).keys):
                backend.delete_object(BUCKET, key)
            backend.delete_bucket(BUCKET)
        case ["make-bucket"]:
            backend.create_bucket(BUCKET, "us-east-1")
        case _:
            return {"error": "unknown command"}
    return {}


moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
moto_port = moto._server.port if moto._server else None
settings = dict(endpoint_url=f"http://127.0.0.1:{moto_port}", region_name="us-east-1", aws_access_key_id="setup",
                aws_secret_access_key="setup")
iam = boto3.client("iam", **settings)
iam.create_user(UserName="doggofinder")
iam.put_user_policy(UserName="doggofinder", PolicyName="photos", PolicyDocument=json.dumps({
    "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"],
        "Resource": ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]}]}))
keys = iam.create_access_key(UserName="doggofinder")["AccessKey"]
boto3.client("s3", **settings).create_bucket(Bucket=BUCKET)
proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.daemon_threads = True
if sys.argv[1:]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[1])
    # The handshake is made by the thread of the connection.
    proxy.socket = tls.wrap_socket(proxy.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
print(json.dumps({"port": proxy.server_port, "id": keys["AccessKeyId"], "secret": keys["SecretAccessKey"]}), flush=True)
for line in sys.stdin:
    try:
        print(json.dumps(command(line.split())), flush=True)
    except Exception as error:
        print(json.dumps({"error": repr(error)}), flush=True)
os._exit(0)
