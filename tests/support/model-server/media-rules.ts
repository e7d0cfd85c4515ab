/** What the vendors' servers check of a file before a model sees it. */

/** The first bytes of each type that vendors take; they refuse a file that is not what its type says. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'application/pdf': /^%PDF-/,
};

/** The reason, or null for a file that is taken. */
export function mediaFault(type: 'image' | 'document', mediaType: string, base64: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return 'invalid base64 data';
  const beginning = BEGINNINGS[mediaType];
  if (!beginning || mediaType.startsWith('image/') !== (type === 'image')) return `unsupported type ${mediaType}`;
  const bytes = Buffer.from(base64.slice(0, 64), 'base64').toString('latin1');
  return beginning.test(bytes) ? null : `the file does not match the media type ${mediaType}`;
}
