/** Ids that sort by time. */
import { randomBytes } from 'node:crypto';

/** Returns a new UUID version 7 (RFC 9562), as `animus.uuid_v7` does in SQL: 48 bits of milliseconds, then random bits. */
export function uuidV7(nowMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
