/** Cuts texts to a limit in bytes of UTF-8, never inside a character. */

/** Returns how many bytes each of several texts may take so that all fit into `total`: short ones stay whole, long ones share the rest. */
export function fairShare(sizes: readonly number[], total: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = total;
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Infinity;
}

/** At least this much of each entry stays, however many share the limit: enough to show what it is about. */
const MIN_ENTRY_BYTES = 200;

/** Returns a function that cuts the longest of these entries so that all fit into `total` bytes together, without leaving any out. */
export function fitEntries(entries: readonly string[], total: number): (entry: string) => string {
  const sizes = entries.map((entry) => Buffer.byteLength(entry));
  const share = Math.max(MIN_ENTRY_BYTES, fairShare(sizes, total));
  return (entry) => cutEnd(entry, share, ' […]');
}

/** The beginning of a text, at most `bytes` long; a text that fits is unchanged. */
export function cutEnd(text: string, bytes: number, note: string): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  return head(whole, Math.max(0, bytes - Buffer.byteLength(note))) + note;
}

/** Two thirds from the beginning and one third from the end of a text, around `note`; a text that fits is unchanged. */
export function cutMiddle(text: string, bytes: number, note: (leftOutBytes: number) => string): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const room = Math.max(0, bytes - Buffer.byteLength(note(whole.length)));
  const first = head(whole, Math.floor((room * 2) / 3));
  const last = tail(whole, Math.floor(room / 3));
  return first + note(whole.length - Buffer.byteLength(first) - Buffer.byteLength(last)) + last;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function head(bytes: Buffer, length: number): string {
  let end = Math.min(length, bytes.length);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString();
}

function tail(bytes: Buffer, length: number): string {
  let start = Math.max(0, bytes.length - length);
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start).toString();
}
