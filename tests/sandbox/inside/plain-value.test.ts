import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { missingPython, SANDBOX_FILES } from '../../support/sandbox-runner.ts';

const missing = missingPython();

/** Writes the values of Python expressions as JSON, each with this limit in bytes. */
function written(expressions: readonly string[], limit = 10_000): (readonly [value: unknown, note: string | null])[] {
  const program = `
import sys, json
sys.path.insert(0, ${JSON.stringify(SANDBOX_FILES)})
from animus_sandbox.plain_value import value_text
import collections, dataclasses, datetime, decimal, enum, itertools, math, pathlib, types, uuid
@dataclasses.dataclass
class Point:
    x: int
    at: datetime.date
class Colour(enum.Enum):
    RED = "red"
Pair = collections.namedtuple("Pair", "left right")
class Odd:
    def __repr__(self): raise ValueError("no")
def cycle():
    items = [1]; items.append(items); return items
def deep():
    items = []
    for _ in range(100_000): items = [items]
    return items
for expression in json.loads(sys.stdin.read()):
    print(json.dumps(value_text(eval(expression), ${limit})))
`;
  const options = { input: JSON.stringify(expressions), encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const lines = execFileSync('python3', ['-I', '-B', '-c', program], options).trimEnd().split('\n');
  return lines.map((line) => {
    const [text, note] = JSON.parse(line) as [string, string | null];
    return [JSON.parse(text), note] as const;
  });
}

describe.skipIf(missing)(`the value that code returns${missing === null ? '' : ` (${missing})`}`, () => {
  it('is JSON, with a note on what JSON does not have', () => {
    const cases: readonly (readonly [expression: string, value: unknown, note: RegExp | null])[] = [
      ['None', null, null],
      ['[True, 1, 1.5, "ä"]', [true, 1, 1.5, 'ä'], null],
      ['(1, 2)', [1, 2], null],
      ['{3, 1, 2}', [1, 2, 3], null],
      ['Point(1, datetime.date(2026, 1, 2))', { x: 1, at: '2026-01-02' }, null],
      ['Pair(1, [2])', { left: 1, right: [2] }, null],
      ['Colour.RED', 'red', null],
      ['datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC)', '2026-01-02T03:04:00+00:00', null],
      ['datetime.timedelta(minutes=2)', 120, /value is a timedelta, given in seconds/],
      ['decimal.Decimal("1.10")', '1.10', null],
      ['pathlib.PurePosixPath("a/b")', 'a/b', null],
      ['types.SimpleNamespace(a=1)', { a: 1 }, null],
      ['{1: "a", None: "b"}', { 1: 'a', None: 'b' }, /keys of value that are not text/],
      ['{1: "a", "1": "b"}', { 1: 'b' }, /several keys that are '1'/],
      ['{"a": [math.nan, math.inf]}', { a: ['NaN', 'Infinity'] }, /value\.a\[0\] is nan/],
      ['b"plain"', 'plain', /value is bytes, given as the UTF-8 text/],
      ['[b"\\xff\\x00"]', ['/wA='], /value\[0\] is 2 bytes, given in base64/],
      ['cycle()', [1, '[contains itself]'], /value\[1\] contains itself/],
      ['(each for each in [1, 2])', [1, 2], /an iterator, given as a list/],
      ['{"a": 1}.items()', [['a', 1]], null],
      ['Odd()', '<Odd, whose repr raises ValueError>', /of type Odd, given as its repr/],
      ['"\\ud800x"', '?x', /halves of surrogate pairs/],
      ['ValueError("why")', 'ValueError: why', null],
      ['2 ** 60', 2 ** 60, null],
    ];
    const results = written(cases.map(([expression]) => expression));
    for (const [index, [expression, value, note]] of cases.entries()) {
      expect([expression, results[index]?.[0]]).toEqual([expression, value]);
      if (note === null) expect([expression, results[index]?.[1]]).toEqual([expression, null]);
      else expect(results[index]?.[1]).toMatch(note);
    }
  });

  it('is bounded, however large or deep it is', () => {
    const huge = ['"x" * 10_000_000', '["é" * 600] * 5000', 'range(10**12)', 'itertools.count()', 'b"\\xff" * 10**7'];
    for (const [value, note] of written(huge, 1000)) {
      expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(1000);
      expect(note).toMatch(/more than 1000 bytes of JSON|too many items/);
    }
    const [[deep, note] = []] = written(['deep()']);
    expect(JSON.stringify(deep).length).toBeLessThan(3000);
    expect(note).toContain('nested more than 100 deep');
    const [[big, bigNote] = []] = written(['10 ** 5000']);
    expect(big).toMatch(/^0x/);
    expect(bigNote).toContain('given in hexadecimal');
  });
});
