/** Masks secrets in output and telemetry, by the name of a field and by the form of a text. */

const SECRET_KEY =
  /passw(or)?d|secret|api[-_]?key|authorization|^auth$|access[-_]?token|refresh[-_]?token|bearer|cookie|credential|connection[-_]?string|database[-_]?url|private[-_]?key/i;
/** The replacement of a masked value. */
export const MASK = '[secret]';

/** True for the name of a field or environment variable whose value is never shown. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** Masks everything in the text that looks like a credential: the user part of a URL, bearer tokens, vendors' API keys. */
export function maskSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, `$1${MASK}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${MASK}`)
    .replace(/\banimus_[A-Za-z0-9_-]{40,}/g, MASK)
    .replace(/\b(sk|pk|rk|ghp|gho|github_pat|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{16,}/g, MASK);
}

/** A copy of a value for a log: secret fields are masked at any depth, errors become plain objects, depth and breadth are bounded. */
export function redact(value: unknown, depth = 6): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return value;
  if (depth === 0) return '[deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redact(item, depth - 1));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).slice(0, MAX_ITEMS)) {
    result[key] = isSecretKey(key) ? MASK : redact(item, depth - 1);
  }
  return result;
}

const MAX_ITEMS = 100;

function redactError(error: Error, depth: number): Record<string, unknown> {
  // Errors of a database driver also have `detail` and `where` with contents of rows, so only harmless fields are kept.
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: maskSecrets(error.message),
    ...(typeof code === 'string' && { code }),
    ...(error.stack && { stack: maskSecrets(error.stack) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth - 1) }),
  };
}
