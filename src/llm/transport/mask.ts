/** Replaces every secret in a text by `***`. */
export type Mask = (text: string) => string;

/** The settings of a provider that hold secrets. */
export interface Secretive {
  readonly apiKey: string | null;
  readonly baseUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A mask for the secrets in the settings of a provider: the key, the configured headers, and user, password and query values
 * of the base URL, each also percent-encoded, as JSON writes it and in base64. Also masks texts that look like a key of a
 * known vendor, because providers quote keys. Mask before a text is cut: half a key is not recognised.
 */
export function maskFor({ apiKey, baseUrl, headers }: Secretive): Mask {
  const credentials = credentialsOf(baseUrl);
  const basic = baseUrl.password ? Buffer.from(credentials.join(':')).toString('base64') : '';
  const plain = [apiKey ?? '', ...credentials, basic, ...baseUrl.searchParams.values(), ...headerSecrets(headers)];
  const mask = maskTexts(writtenForms(plain).filter(isSecret));
  return (text) => mask(text).replace(/\b(sk|xai|gsk|pk|key)[-_][A-Za-z0-9*_-]{8,}/g, '$1-***');
}

/** Shorter values (`v1`, `true`) are not secrets, and masking them would make messages unreadable. */
const isSecret = (text: string) => text.length >= 4 && !/^\d{4}-\d\d-\d\d(-preview)?$/.test(text);

/** Secrets as they are, percent-encoded, and as JSON writes them. Longest first: a short one may be part of a longer one. */
export function writtenForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((each) => [each, encodeURIComponent(each), JSON.stringify(each).slice(1, -1)]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Replaces these secrets, in this order. Most texts have none of them: one search finds that out. */
export function maskTexts(secrets: readonly string[]): Mask {
  if (secrets.length === 0) return (text) => text;
  const any = new RegExp(secrets.map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'));
  return (text) => (any.test(text) ? secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text) : text);
}

/** Headers that say what is sent, not who sends it. */
const PUBLIC_HEADERS =
  /^(accept|content-type|user-agent|anthropic-version|anthropic-beta|openai-beta|x-title|http-referer|referer)$/;

/** The values of all other headers, also without the scheme before them (`Bearer`, `Basic`). */
function headerSecrets(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (PUBLIC_HEADERS.test(name) ? [] : [value]));
  return [...values, ...values.map((value) => value.replace(/^[A-Za-z]+ +/, ''))].filter((value) => value.length >= 8);
}

/** A URL for people: origin and path, never user, password or query. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** User and password of a URL, decoded; none of them twice. */
export function credentialsOf(url: URL): readonly string[] {
  return url.username || url.password ? [decodeURIComponent(url.username), decodeURIComponent(url.password)] : [];
}
