/** Addresses of Docker engines, as DOCKER_HOST has them. */

/** Where a Docker engine listens. `text` is for messages; it contains no secret. */
export type EngineAddress =
  /** DOCKER_HOST names something else, such as `ssh://`. */
  | { readonly kind: 'unsupported'; readonly text: string }
  | { readonly kind: 'unix'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** The directory with ca.pem, cert.pem and key.pem; null: no TLS. */
      readonly certificates: string | null;
      readonly text: string;
    };

/** Where Docker listens unless it is configured otherwise. */
export const DEFAULT_ENGINE = 'unix:///var/run/docker.sock';

/** The image that `animus sandbox build` makes. */
export const DEFAULT_SANDBOX_IMAGE = 'animus-sandbox:latest';

/** What an address looks like, for messages. */
export const ENGINE_FORMS = 'unix:///PATH or tcp://HOST:PORT';

/**
 * Parses `unix:///path` and `tcp://host:port` (without a port: 2375, with certificates 2376). Null for anything else,
 * such as `ssh://`.
 */
export function parseEngineAddress(text: string, certificates: string | null = null): EngineAddress | null {
  const unix = /^unix:\/\/(\/.+)$/.exec(text);
  if (unix) return { kind: 'unix', path: unix[1]!, text };
  const url = text.startsWith('tcp://') ? URL.parse(text) : null;
  // `tcp` is not a special scheme, so a host may be empty and a path may follow.
  if (url === null || url.hostname === '' || url.username !== '' || url.search !== '' || url.hash !== '') return null;
  if (url.pathname !== '' && url.pathname !== '/') return null;
  const port = url.port === '' ? (certificates === null ? 2375 : 2376) : Number(url.port);
  return { kind: 'tcp', host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, certificates, text };
}
