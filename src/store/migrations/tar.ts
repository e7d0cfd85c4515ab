/** Reads one file from a .tar.gz in memory, which is all that animus needs of tar: npm packages ship SQL in this form. */
import { gunzipSync } from 'node:zlib';

/** The text of the first entry whose path matches, or null. Plain ustar entries only; long-name extensions are skipped. */
export function readTarGz(archive: Buffer, matches: (path: string) => boolean): { path: string; text: string } | null {
  const tar = gunzipSync(archive);
  for (let offset = 0; offset + BLOCK <= tar.length; ) {
    const header = tar.subarray(offset, offset + BLOCK);
    if (header[0] === 0) return null;
    const size = Number.parseInt(field(header, 124, 12), 8) || 0;
    const prefix = field(header, 345, 155);
    const path = (prefix ? `${prefix}/` : '') + field(header, 0, 100);
    const start = offset + BLOCK;
    if (matches(path)) return { path, text: tar.toString('utf8', start, start + size) };
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return null;
}

const BLOCK = 512;

function field(header: Buffer, start: number, length: number): string {
  const end = header.indexOf(0, start);
  return header.toString('utf8', start, end < 0 ? start + length : Math.min(end, start + length)).trim();
}
