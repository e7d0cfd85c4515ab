/** Files that are sent with work or with a message. */

/** What the API takes as an attachment: its content is base64. */
export interface Attachment {
  readonly name: string;
  readonly content: string;
}

/** Three bytes make four characters, so parts of a multiple of three bytes can be joined. */
const PART_BYTES = 24_576;

/** Makes an attachment of bytes, a Blob (a File of a browser, too), or a text, which is sent as UTF-8. At most 10 MiB each, 20 MiB together. */
export async function attachment(name: string, content: Uint8Array | ArrayBuffer | Blob | string): Promise<Attachment> {
  return { name, content: base64(await bytesOf(content)) };
}

async function bytesOf(content: Uint8Array | ArrayBuffer | Blob | string): Promise<Uint8Array> {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content;
  return new Uint8Array(content instanceof ArrayBuffer ? content : await content.arrayBuffer());
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PART_BYTES)));
  }
  return text;
}
