/** The HTTP API and its WebSockets. */
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import type { TestApi } from '../../support/api.ts';
import { FEW, SHAPES } from './corpus.ts';
import { measure } from './door.ts';
import { otherThread } from './other-thread.ts';

const MIB = 2 ** 20;
const ID = '01920000-0000-7000-8000-000000000000';
const BODIES: readonly (readonly [string, string, number, (shape: string) => string, typeof SHAPES])[] = [
  ['http: params', '/work', 31 * MIB, (shape) => `{"faculty":"engineer","params":${shape}}`, SHAPES],
  ['http: params of 1 MiB', '/work', MIB - 1000, (shape) => `{"faculty":"engineer","params":${shape}}`, SHAPES],
  ['http: unknown keys', '/work', 31 * MIB, (shape) => shape, FEW],
];
const MESSAGES: readonly (readonly [string, (shape: string) => string])[] = [
  ['websocket: a message', (shape) => shape],
  ['websocket: a field', (shape) => `{"type":"command","name":"n","work":"${ID}","do":"say","text":${shape}}`],
];

export async function throughHttp({ url, tokenOf }: TestApi): Promise<void> {
  const client = otherThread();
  const port = Number(new URL(url).port);
  const token = await tokenOf('alice');
  const head = `host: localhost\r\nauthorization: Bearer ${token}\r\n`;
  for (const [door, path, bytes, bodyOf, shapes] of BODIES) {
    for (const [shape, text] of Object.entries(shapes)) {
      const body = bodyOf(text(bytes, JSON_LIMITS.httpBody));
      const length = Buffer.byteLength(body);
      const type = `content-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n`;
      await client.prepare([`POST /api/v1${path} HTTP/1.1\r\n${head}${type}\r\n`, body]);
      await measure(door, shape, length, () => client.send(port, '}'));
    }
  }
  const files = { name: 'f', content: 'A'.repeat(13 * MIB) };
  const body = JSON.stringify({ faculty: 'engineer', attachments: [files, { ...files, name: 'g' }] });
  const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\nidempotency-key: k\r\n`;
  await client.prepare([`POST /api/v1/work HTTP/1.1\r\n${head}${type}\r\n`, body]);
  await measure('http: attachments', 'two of nearly 10 MiB', body.length, () => client.send(port, '}'));

  const upgrade = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: animus.v1\r\n`;
  for (const [door, messageOf] of MESSAGES) {
    for (const [shape, text] of Object.entries(SHAPES)) {
      const message = messageOf(text(MIB / 4 - 200, JSON_LIMITS.socketMessage));
      await client.prepare([`GET /api/v1/socket HTTP/1.1\r\n${head}${upgrade}\r\n`, ...textFrame(message)]);
      await measure(door, shape, message.length, () => client.send(port, '"type":"error"'));
    }
  }
  await client.end();
}

/** A text message in one frame, with a mask of zeros. */
function textFrame(message: string): readonly (string | Buffer)[] {
  const bytes = Buffer.from(message);
  const head = Buffer.alloc(14);
  head.writeUInt8(0x81, 0);
  head.writeUInt8(0xff, 1);
  head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return [head, bytes];
}
