// Receivers of mails (SMTP), push messages and webhooks (HTTPS by HTTP/2 or HTTP/1.1) that answer after a latency, as real
// ones do, in a process of their own.
//
//     receivers.js CERTIFICATE KEY HTTP_MS SMTP_MS HOST...
//
// It prints a line of JSON with the ports, and then a line for each message: channel, reader, code of the listing and time in seconds.
// All hosts have the same HTTPS port. It ends with its standard input.

"use strict";
const fs = require("fs");
const http2 = require("http2");
const net = require("net");

const [certificate, key, httpTime, smtpTime, ...hosts] = process.argv.slice(2);

let lines = [];
// The time is that of the arrival, because the server may be killed before the answer.
function tell(channel, reader, listing, time) {
    lines.push(JSON.stringify([channel, reader, listing, time / 1000]));
}
setInterval(() => {
    if (lines.length) process.stdout.write(lines.join("\n") + "\n");
    lines = [];
}, 50);

const options = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key), allowHTTP1: true, maxSessionMemory: 1000 };

// The path is /CHANNEL/READER.
function take(request, response) {
    request.resume();
    const time = Date.now();
    request.on("end", () => setTimeout(() => {
        // A stream that Node refused is sent again by another connection.
        if (response.stream && response.stream.destroyed) return;
        const [, channel, reader] = request.url.split("/");
        tell(channel, reader, null, time);
        response.statusCode = 201;
        response.end();
    }, Number(httpTime)));
}

function speak(socket) {
    let text = "", recipient = null, isData = false;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.write("220 receivers ESMTP\r\n");
    const answers = { EHLO: "250-receivers\r\n250 8BITMIME", DATA: "354 go on", QUIT: "221 bye" };
    socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
        for (;;) {
            if (isData) {
                const end = text.indexOf("\r\n.\r\n");
                if (end < 0) return;
                const listing = /\/l\/([0-9A-Z]{7})/.exec(text.slice(0, end).replaceAll("=\r\n", ""));
                text = text.slice(end + 5);
                isData = false;
                const [reader, time] = [recipient, Date.now()];
                setTimeout(() => {
                    tell("mail", reader, listing && listing[1], time);
                    socket.write("250 taken\r\n");
                }, Number(smtpTime));
                continue;
            }
            const end = text.indexOf("\r\n");
            if (end < 0) return;
            const line = text.slice(0, end);
            text = text.slice(end + 2);
            const verb = line.slice(0, 4).toUpperCase();
            if (verb === "RCPT") recipient = /<(.*?)>/.exec(line)[1];
            isData = verb === "DATA";
            socket.write((answers[verb] || "250 ok") + "\r\n");
            if (verb === "QUIT") return socket.end();
        }
    });
}

function listen(server, port, host) {
    return new Promise((resolve) => server.listen(port, host, () => resolve(server.address().port)));
}

(async () => {
    const smtp = await listen(net.createServer(speak), 0, "127.0.0.1");
    let https = 0;
    for (const host of hosts) {
        const server = http2.createSecureServer(options, take);
        server.on("sessionError", () => {});
        server.on("tlsClientError", () => {});
        https = await listen(server, https, host);
    }
    process.stdout.write(JSON.stringify({ smtp, https }) + "\n");
    process.stdin.resume().on("end", () => process.exit(0));
})();
