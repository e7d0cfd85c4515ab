/**
 * JSON of a request body without lone surrogates: half a character, cut from a tool's output, would make the provider
 * refuse the whole conversation. JSON.stringify writes one as `\udXXX`; only such bodies are repaired.
 */
export function toJson(body: unknown): string {
  const text = JSON.stringify(body);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
}
