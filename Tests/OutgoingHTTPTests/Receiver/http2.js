// An HTTPS server at ADDRESS and PORT (0 for any that is free) that speaks HTTP/2, answers in the way that the path names, and
// ends with its standard input. It prints its port and then a line for each connection and request.
//
//     http2.js ADDRESS PORT

"use strict";
const fs = require("fs");
const http2 = require("http2");

const [address, port] = process.argv.slice(2);
const pem = fs.readFileSync(`${__dirname}/receiver.pem`);
const server = http2.createSecureServer({ cert: pem, key: pem });
const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants;

const answers = {
    "/echo": (stream) => stream.end("echo"),
    // As a push service that is far away.
    "/later": (stream) => setTimeout(() => answer(stream, "/echo"), 200),
    "/silence": () => {},
    "/reset": (stream) => stream.close(NGHTTP2_INTERNAL_ERROR),
    "/refuse": (stream) => stream.close(NGHTTP2_REFUSED_STREAM),
    "/goaway": (stream) => {
        const session = stream.session;
        stream.end("last", () => session.close());
    },
    "/endless-body": (stream) => {
        const write = () => { while (stream.writable && stream.write("x".repeat(10000))); };
        stream.on("drain", write);
        write();
    },
};

function answer(stream, path) {
    if (stream.destroyed) return;
    const headers = { ":status": 200 };
    if (path === "/long-headers") for (let number = 0; number < 30; number++) headers[`x-${number}`] = "x".repeat(1000);
    if (!["/silence", "/reset", "/refuse", "/later"].includes(path)) stream.respond(headers);
    (answers[path] || answers["/echo"])(stream);
}

server.on("session", (session) => {
    console.log("connection");
    session.on("error", () => {});
});
server.on("stream", (stream, headers) => {
    console.log(`request ${headers[":path"]}`);
    stream.on("error", () => {});
    stream.resume();
    answer(stream, headers[":path"]);
});
server.on("tlsClientError", () => {});
server.listen(Number(port), address, () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit(0));
