import { expect, test } from 'vitest';
import { proseReader, saysTarget, targetOf, withoutReferences } from '../../../src/console/ui/prose-blocks.ts';

const whole = (text: string) => proseReader()(text);
const types = (text: string) => whole(text)?.map(({ token }) => token.type);

test('reads blocks with their places', () => {
  expect(types('# A\n\nb\n\n- c\n\n```sh\nls\n```\n')).toEqual([
    'heading',
    'space',
    'paragraph',
    'space',
    'list',
    'space',
    'code',
  ]);
  expect(whole('a\n\nb')?.map(({ at }) => at)).toEqual([0, 1, 3]);
});

const CORPUS = `# Title

A paragraph with **bold**, \`code\`, a [link](https://example.org) and
a second line.
Setext
======

- one
- two

  inside two
    - deeper
1. first
2. second

> quote
> > nested

| a | b |
| - | - |
| 1 | 2 |

\`\`\`ts
const x = 1;

\`\`\`

- [ ] task
- [x] done

    indented code

<div>
html
</div>

[ref]: https://example.org/ref "title"

See [ref] and ![picture](https://example.org/a.png).
***
last`;

test('a text that grows piece by piece reads like the whole', () => {
  for (const step of [1, 2, 3, 7, 40]) {
    const read = proseReader();
    for (let end = step; end < CORPUS.length + step; end += step) {
      const text = CORPUS.slice(0, end);
      expect(read(text), text.slice(-40)).toEqual(whole(text));
    }
  }
});

test('blocks that are complete stay the same objects', () => {
  const read = proseReader();
  const [first] = read('one\n\ntwo') ?? [];
  const [again] = read('one\n\ntwo and more\n\nthree') ?? [];
  expect(again).toBe(first);
  expect(read('other')?.[0]).not.toBe(first);
});

test.each([
  ['quotes in quotes', `${'>'.repeat(5000)} a`],
  ['lists in lists in a line', `${'- '.repeat(2000)}a`],
  ['lists in lists', Array.from({ length: 300 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')],
  ['too much', 'a '.repeat(300_000)],
])('%s is no prose', (_, text) => {
  expect(whole(text)).toBeNull();
});

test.each([
  ['stars', '*a **a '.repeat(15_000)],
  ['brackets', '['.repeat(100_000)],
  ['link beginnings', '[a]('.repeat(25_000)],
  ['pictures', '![a'.repeat(30_000)],
  ['backticks', Array.from({ length: 400 }, (_, at) => '`'.repeat(at)).join(' ')],
  ['underscores', '_'.repeat(100_000)],
  ['tildes', '~~a'.repeat(30_000)],
  ['angles', '<a '.repeat(30_000)],
  ['a table with many cells', `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${`|${'*a|'.repeat(2000)}\n`.repeat(20)}`],
  ['a long line', 'x'.repeat(199_000)],
  ['paragraphs of stars', `${'*a _b '.repeat(1500)}\n\n`.repeat(20)],
  ['entities', '&#x202e;&amp;'.repeat(14_000)],
  ['fences', '```\n'.repeat(50_000)],
  ['list items', '- a\n'.repeat(50_000)],
  ['definitions', '[a]: b\n'.repeat(25_000)],
  ['html', '<div>\n\n'.repeat(28_000)],
])('a bomb of %s is read in reasonable time', (_, text) => {
  const begun = process.cpuUsage();
  expect(whole(text)).not.toBeNull();
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(3000);
});

test('decodes references, and nothing else', () => {
  expect(withoutReferences('a &amp;&lt;b&gt; &#65;&#x42; &nope; &#0; &#xd800; &#x110000;')).toBe(
    'a &<b> AB &nope; \ufffd \ufffd \ufffd',
  );
});

test.each([
  ['https://example.org/a', 'https://example.org/a', 'example.org'],
  ['HTTPS://Example.org:8443', 'https://example.org:8443/', 'example.org:8443'],
  ['https://bank.example@evil.test/', 'https://bank.example@evil.test/', 'evil.test'],
  ['https://аpple.com', 'https://xn--pple-43d.com/', 'xn--pple-43d.com'],
  ['mailto:a@example.org?subject=x', 'mailto:a@example.org?subject=x', 'a@example.org'],
])('%s leads somewhere', (href, opened, shown) => {
  expect(targetOf(href)).toEqual({ href: opened, shown });
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  '#/inbox',
  '/api/v1/me',
  '//evil.test',
  'blob:https://x/y',
  '',
])('%s is not opened from here', (href) => {
  expect(targetOf(href)).toBeNull();
});

test('addresses of the page itself are not opened', () => {
  const own = 'https://animus.example';
  expect(targetOf('https://animus.example/console/#/login/SECRET', own)).toBeNull();
  expect(targetOf('HTTPS://Animus.example:443/#/inbox', own)).toBeNull();
  expect(targetOf('https://animus.example:8443/', own)).not.toBeNull();
});

test.each([
  ['https://example.org/a', 'https://example.org/a', true],
  ['https://example.org', 'https://example.org', true],
  ['https://g\u0456thub.com/login', 'https://g\u0456thub.com/login', false],
  ['https://example.org/', 'https://evil.test/', false],
  ['https://bank.example@evil.test/', 'https://bank.example@evil.test/', false],
  ['https://example.org/a/', 'https://example.org/a', false],
])('the text %s for %s says where it leads: %s', (text, address, says) => {
  expect(saysTarget(text, targetOf(address)!)).toBe(says);
});
