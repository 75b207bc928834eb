"""A TCP forwarder that tests can cut: it then neither passes anything on nor closes anything, like a network that loses
all packets.
"""
import asyncio
import socket
import threading


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Forwarder:
    """Forwards a free port on loopback to another one, in a thread of its own."""

    def __init__(self, target):
        self.target, self.port = target, free_port()
        self.connections = set()
        self.loop = asyncio.new_event_loop()
        self.is_open = asyncio.Event()
        self.is_open.set()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._listen(), self.loop).result()

    def cut(self):
        self.loop.call_soon_threadsafe(self.is_open.clear)

    def restore(self):
        self.loop.call_soon_threadsafe(self.is_open.set)

    async def _listen(self):
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def _accept(self, reader, writer):
        await self.is_open.wait()
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(self._pass(reader, other_writer), self._pass(other_reader, writer))

    async def _pass(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.is_open.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.transport.abort() if not self.is_open.is_set() else writer.close()
