/** Writes values and names as Python source, so that no text of a schema can become code. */

/** A Python string literal on one line. Half surrogates become U+FFFD; what an editor would not show is escaped. */
export function stringLiteral(text: string): string {
  const escaped = text.toWellFormed().replace(ESCAPED, (found) => {
    const short = SHORT[found];
    if (short !== undefined) return short;
    const code = found.codePointAt(0)!;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Quotes, backslashes, control and format characters, all kinds of line ends, and what is not assigned. */
const ESCAPED = /["\\]|[\p{C}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A JSON value as a Python literal; null if the value is not JSON, or the literal is longer than `maxChars`. */
export function valueLiteral(value: unknown, maxChars: number): string | null {
  const literal = literalOf(value, 10);
  return literal === null || literal.length > maxChars ? null : literal;
}

function literalOf(value: unknown, depth: number): string | null {
  if (value === null) return 'None';
  if (depth === 0) return null;
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False';
    case 'number':
      return Number.isFinite(value) ? String(value) : null;
    case 'string':
      return stringLiteral(value);
    case 'object': {
      if (Array.isArray(value))
        return joined(
          '[',
          value.map((each) => literalOf(each, depth - 1)),
          ']',
        );
      const pairs = Object.entries(value).map(([key, each]) => {
        const literal = literalOf(each, depth - 1);
        return literal === null ? null : `${stringLiteral(key)}: ${literal}`;
      });
      return joined('{', pairs, '}');
    }
    default:
      return null;
  }
}

function joined(open: string, parts: readonly (string | null)[], close: string): string | null {
  return parts.includes(null) ? null : `${open}${parts.join(', ')}${close}`;
}

const MAX_NAME = 100;

/** Gives names that Python accepts and that are neither reserved (these get a `_`) nor given already (these get a number). */
export function nameGiver(reserved: Iterable<string> = []): (name: string) => string {
  const refused = new Set(reserved);
  const used = new Set(refused);
  return (name) => {
    const wanted = identifier(name);
    const plain = refused.has(wanted) ? `${wanted}_` : wanted;
    let unused = plain;
    for (let count = 2; used.has(unused); count++) unused = `${plain}_${count}`;
    used.add(unused);
    return unused;
  };
}

/** `create-issue` → `create_issue`, `from` → `from_`, `2fa` → `_2fa`. */
function identifier(name: string): string {
  const letters = name.slice(0, MAX_NAME).replace(/[^A-Za-z0-9_]/g, '_');
  const started = /^[A-Za-z_]/.test(letters) ? letters : `_${letters}`;
  // Two underscores at both ends have a meaning of their own, and one alone says «not used».
  if (/^__.*__$/.test(started) || /^_+$/.test(started)) return `arg${started.replace(/_+$/, '')}`;
  return KEYWORDS.has(started) ? `${started}_` : started;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Names that mean something to Python code already; a tool of such a name gets another one. */
export const PYTHON_NAMES: readonly string[] = (
  'ArithmeticError AssertionError BaseException Exception KeyError OSError RuntimeError TimeoutError TypeError ValueError ' +
  'abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits ' +
  'delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input ' +
  'int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit ' +
  'range repr reversed round set setattr slice sorted staticmethod str sum super tools tuple type vars zip'
).split(' ');
