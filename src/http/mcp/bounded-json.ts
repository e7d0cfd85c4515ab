/** The JSON of a result, as much of it as a model can read. */

/** Characters of a result. */
const MAX_CHARACTERS = 65_536;
/** Texts in it are cut to the first of these lengths that is short enough. */
const TEXT_LENGTHS = [16_384, 4096, 1024, 256];

/** At most 65,536 characters and a few. Long texts are cut, and say so; what is still too long becomes its own beginning, as a text. */
export function boundedJson(value: unknown): string {
  const whole = JSON.stringify(value);
  if (whole.length <= MAX_CHARACTERS) return whole;
  const plain: unknown = JSON.parse(whole);
  for (const length of TEXT_LENGTHS) {
    const text = JSON.stringify({ cut: true, result: cut(plain, length) });
    if (text.length <= MAX_CHARACTERS) return text;
  }
  // A text in JSON needs up to two characters for one; escapes of control characters were escaped before.
  return JSON.stringify({ cut: true, beginning: whole.slice(0, MAX_CHARACTERS / 2 - 50).toWellFormed() });
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string') {
    return value.length <= length
      ? value
      : `${value.slice(0, length).toWellFormed()} [cut: ${value.length} characters]`;
  }
  if (Array.isArray(value)) return value.map((inner) => cut(inner, length));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner, length)]));
}
