/** The forms of addresses in settings. */

/** True for an absolute http or https URL that carries no credentials and no broken percent-encoding. */
export function isPlainHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return isDecodable(url.pathname + url.search);
}

/** True if every % begins the code of a byte, and the bytes are UTF-8. */
export function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

/** The parts of `HOST:PORT`; null for any other text. Port 0 stands for one that is free when somebody listens. */
export function parseListenAddress(value: string): { readonly host: string; readonly port: number } | null {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}
