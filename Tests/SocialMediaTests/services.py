"""Imitates Telegram's Bot API and Mastodon's API over HTTPS at 127.0.0.1, and ends with its standard input.

Usage: services.py FOLDER-OF-CERTIFICATES

It prints its port, and then a line of JSON for each request. Each line that it reads, and then confirms by "scripted", is the
answer to the next request whose method and path contain `for`: {"for": "sendPhoto", "status": 429, "headers": {}, "body": "..."}; {"hold": true} gives none
but does what was asked, and {"endless": true} a body without end.
"""

import base64
import http.server
import json
import re
import ssl
import sys
import threading
import urllib.parse

lock = threading.Lock()
scripted, posts, media, keys = [], {}, {}, {}
TOKENS = ("123456:good-token-of-a-bot-0000", "good-token-of-an-application")


def tell(value):
    with lock:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()


def form(kind, body):
    """Reads multipart/form-data: the values by their names, and the photo as base64."""
    boundary = kind.split("boundary=")[1].encode()
    fields = {}
    for part in body.split(b"--" + boundary)[1:-1]:
        head, value = part[2:-2].split(b"\r\n\r\n", 1)
        name = re.search(rb'name="([^"]*)"', head).group(1).decode()
        fields[name] = base64.b64encode(value).decode() if b"filename=" in head else value.decode()
    return fields


class Services(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value, headers={}):
        body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = self.headers.get("Content-Type") or ""
        fields = form(kind, body) if kind.startswith("multipart/") else json.loads(body) if body else {}
        name = f"{self.command} {self.path}"
        with lock:
            script = next((one for one in scripted if one["for"] in name), None)
            if script:
                scripted.remove(script)
        tell({"request": name, "headers": dict(self.headers), "fields": fields})
        if script and "status" in script:
            return self.answer(script["status"], script.get("body", ""), script.get("headers", {}))
        if script and script.get("endless"):
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b'{"ok":' + b" " * 65536)
        status, value = self.telegram(fields) if self.path.startswith("/bot") else self.mastodon(fields)
        if script and script.get("hold"):
            threading.Event().wait()
        self.answer(status, value)

    do_GET = do_POST = do_PUT = do_DELETE = handle_request

    # Telegram

    def telegram(self, fields):
        def refuse(status, description):
            return status, {"ok": False, "error_code": status, "description": description}
        _, bot, method = urllib.parse.unquote(self.path).split("/")
        if bot != "bot" + TOKENS[0]:
            return refuse(401, "Unauthorized")
        if method == "getMe":
            return 200, {"ok": True, "result": {"id": 123456, "is_bot": True, "first_name": "Dogs", "username": "dogs_bot"}}
        if str(fields["chat_id"]) != "@dogs":
            return refuse(400, "Bad Request: chat not found")
        if method == "getChat":
            return 200, {"ok": True, "result": {"id": -100, "type": "channel", "title": "Lost dogs", "username": "dogs"}}
        if method == "getChatMember":
            return 200, {"ok": True, "result": {"status": "administrator", "can_post_messages": True}}
        if method in ("sendPhoto", "sendMessage"):
            with lock:
                id = 1000 + len(posts) + 1
                posts[id] = fields
            return 200, {"ok": True, "result": {"message_id": id, "chat": {"id": -100}}}
        id = fields["message_id"]
        if method == "deleteMessage":
            if posts.pop(id, None) is None:
                return refuse(400, "Bad Request: message to delete not found")
            return 200, {"ok": True, "result": True}
        if id not in posts:
            return refuse(400, "Bad Request: message to edit not found")
        posts[id].update(fields)
        return 200, {"ok": True, "result": {"message_id": id}}

    # Mastodon

    def mastodon(self, fields):
        if self.headers.get("Authorization") != "Bearer " + TOKENS[1]:
            return 401, {"error": "The access token is invalid"}
        path = self.path.split("/")
        if self.path == "/api/v1/accounts/verify_credentials":
            return 200, {"id": "1", "acct": "dogs"}
        if self.path == "/api/v2/media":
            with lock:
                id = str(len(media) + 1)
                media[id] = {"polls": 0, **fields}
            return 202, {"id": id, "type": "image", "url": None}
        if path[3] == "media":
            media[path[4]]["polls"] += 1
            return (200 if media[path[4]]["polls"] > 1 else 206), {"id": path[4]}
        if self.command == "POST":
            with lock:
                id = keys.setdefault(self.headers["Idempotency-Key"], str(110000 + len(posts) + 1))
                posts[id] = fields
        else:
            id = path[4]
            if id not in posts:
                return 404, {"error": "Record not found"}
            if self.command == "PUT":
                posts[id] = fields
            if self.command == "DELETE":
                del posts[id]
                return 200, {"id": id, "text": ""}
        return 200, {"id": id, "media_attachments": [{"id": one} for one in posts[id].get("media_ids", [])]}

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{sys.argv[1]}/receiver.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        with lock:
            scripted.append(json.loads(line))
        tell("scripted")


main()
