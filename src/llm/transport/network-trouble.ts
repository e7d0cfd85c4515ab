import type { NetworkTrouble } from '../client.ts';

const CODES: readonly (readonly [NetworkTrouble, RegExp])[] = [
  ['proxy', /^UND_ERR_PRX_/],
  ['name', /^(ENOTFOUND|EAI_)/],
  ['certificate', /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/],
  ['refused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
];

/** How the connection failed, by the code of the error; undefined: unknown. undici has no code for a proxy's refusal. */
export function networkTrouble(code: string, message: string): NetworkTrouble | undefined {
  if (/^Proxy (response|Authentication)/.test(message)) return 'proxy';
  return CODES.find(([, pattern]) => pattern.test(code))?.[0];
}
