/** What a file is by its bytes, and why a provider would refuse it whatever the model: with the file it would refuse the whole request, on every attempt. */
import { type ImageSize, imageSize } from './image-size.ts';
import { pdfPages } from './pdf.ts';

/** The first bytes of each type in hexadecimal; of WebP, four bytes of its size are between. */
const FIRST_BYTES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['application/pdf', /^255044462d/],
];

/** The type of an image or a PDF, as `animus.sniff_media_type` has it; null for any other file. */
export function mediaTypeOf(content: Buffer): string | null {
  const first = content.toString('hex', 0, 16);
  return FIRST_BYTES.find(([, pattern]) => pattern.test(first))?.[0] ?? null;
}

/** The size of an image of any length; null if its header cannot be read, or it is no image. */
export function sizeOfImage(content: Buffer): ImageSize | null {
  // Its header is decoded again; it is short.
  return imageSize(content.subarray(0, 256 * 1024).toString('base64'));
}

/** The most pages of a PDF that every provider takes. */
const MAX_PAGES = 100;

/** Why no provider takes an image or a PDF of this type, as a clause; null if there is no reason. Reads all of it: once per file, not per request. */
export function damageOf(content: Buffer, mediaType: string): string | null {
  if (mediaType === 'application/pdf') return pdfDamage(content);
  if (sizeOfImage(content) === null) return 'the image is damaged: its header cannot be read';
  return isCutOff(content, mediaType) ? 'the image is cut off: its last part is missing' : null;
}

function pdfDamage(content: Buffer): string | null {
  // The trailer, or the dictionary of a compressed one, names what decrypts the file.
  if (/\/Encrypt\s{0,4}(?:\d{1,10}\s|<<)/.test(content.toString('latin1'))) return 'the PDF file is encrypted';
  const pages = pdfPages(content.toString('base64'));
  return pages > MAX_PAGES ? `the PDF file has about ${pages} pages, and providers take at most ${MAX_PAGES}` : null;
}

/** As `animus.is_cut_off`, which refuses such attachments. */
function isCutOff(content: Buffer, mediaType: string): boolean {
  if (mediaType === 'image/png') return !content.includes('\0\0\0\0IEND\xaeB`\x82', 0, 'latin1');
  return mediaType === 'image/webp' && content.length < 8 + content.readUInt32LE(4);
}
