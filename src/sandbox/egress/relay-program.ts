/** The relay: a Python program that accepts connections on a port of a container and passes them on over its standard streams. */
import { MAX_CONNECTIONS } from './connections.ts';
import { FRAME, MAX_DATA_BYTES, WINDOW_BYTES } from './frames.ts';

/** Where programs in the container find the proxy. */
export const PROXY_PORT = 3128;

/** Needs Python 3.9 and its standard library. Writes the line `ready` once it listens, then frames. Ends with its standard input. */
export const RELAY_PROGRAM = `
import asyncio, os, struct, sys
OPEN, DATA, END, RESET, TAKEN = ${FRAME.open}, ${FRAME.data}, ${FRAME.end}, ${FRAME.reset}, ${FRAME.taken}
WINDOW, PIECE, MOST = ${WINDOW_BYTES}, ${MAX_DATA_BYTES}, ${MAX_CONNECTIONS}
connections, last = {}, 0

class Connection:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.granted, self.more, self.ended = WINDOW, asyncio.Event(), 0
        self.incoming = asyncio.Queue()

async def main():
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(os.dup(1), 'wb'))
    out = asyncio.StreamWriter(transport, protocol, None, loop)

    async def send(kind, number, data=b''):
        out.write(struct.pack('>BII', kind, number, len(data)) + data)
        await out.drain()

    async def read_from(number, one):
        while True:
            while one.granted <= 0:
                one.more.clear()
                await one.more.wait()
            data = await one.reader.read(min(PIECE, one.granted))
            if not data:
                return await send(END, number)
            one.granted -= len(data)
            await send(DATA, number, data)

    async def write_to(number, one):
        while True:
            data = await one.incoming.get()
            if data is None:
                if one.writer.can_write_eof():
                    one.writer.write_eof()
                return
            one.writer.write(data)
            await one.writer.drain()
            await send(TAKEN, number, struct.pack('>I', len(data)))

    async def serve(reader, writer):
        global last
        if len(connections) >= MOST:
            return writer.transport.abort()
        last += 1
        number, one = last, Connection(reader, writer)
        connections[number] = one
        one.tasks = [asyncio.ensure_future(read_from(number, one)), asyncio.ensure_future(write_to(number, one))]
        try:
            await send(OPEN, number)
            await asyncio.gather(*one.tasks)
        except (OSError, asyncio.CancelledError):
            await send(RESET, number)
        finally:
            for task in one.tasks:
                task.cancel()
            connections.pop(number, None)
            writer.transport.abort() if one.ended else writer.close()

    server = await asyncio.start_server(serve, '127.0.0.1', ${PROXY_PORT}, limit=PIECE)
    out.write(b'ready\\n')
    await out.drain()
    while True:
        try:
            kind, number, length = struct.unpack('>BII', await orders.readexactly(9))
            data = await orders.readexactly(length)
        except asyncio.IncompleteReadError:
            os._exit(0)
        one = connections.get(number)
        if one is None:
            continue
        if kind == DATA:
            one.incoming.put_nowait(data)
        elif kind == END:
            one.incoming.put_nowait(None)
        elif kind == TAKEN:
            one.granted += struct.unpack('>I', data)[0]
            one.more.set()
        elif kind == RESET:
            one.ended = 1
            for task in one.tasks:
                task.cancel()

asyncio.run(main())
`;
