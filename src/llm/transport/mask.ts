/** Replaces every secret in a text by `***`. */
export type Mask = (text: string) => string;

/**
 * A mask for the secrets in the settings of a provider: the key, and user, password and query values of the base URL,
 * each also percent-encoded and in base64. Also masks texts that look like a key of a known vendor, because providers quote keys.
 */
export function maskFor(apiKey: string | null, baseUrl: URL): Mask {
  const plain = [apiKey ?? '', ...credentialsOf(baseUrl), ...baseUrl.searchParams.values()];
  const basic = baseUrl.password ? Buffer.from(credentialsOf(baseUrl).join(':')).toString('base64') : '';
  const secrets = [...plain, ...plain.map(encodeURIComponent), basic]
    // Shorter values (`v1`, `true`) are not secrets, and masking them would make messages unreadable.
    .filter((secret) => secret.length >= 4 && !/^\d{4}-\d\d-\d\d(-preview)?$/.test(secret))
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
    return masked.replace(/\b(sk|xai|gsk|pk|key)[-_][A-Za-z0-9*_-]{8,}/g, '$1-***');
  };
}

/** A URL for people: origin and path, never user, password or query. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function credentialsOf(url: URL): string[] {
  return url.username || url.password ? [decodeURIComponent(url.username), decodeURIComponent(url.password)] : [];
}
