import { expect, test } from 'vitest';
import { readPage } from './read-page.ts';

const pages = (text: string) => readPage('a.md', text);
const page = (text: string) => pages(text)[0]!;
const FENCE = '```';

test('reads shown and hidden blocks in order, with what the comments say about them', () => {
  const read = page(`<!-- docs: page database=server -->
Text.

<!-- docs: models
[[answer]]
-->

<!-- docs: sh as=ID
echo 1
-->

<!-- docs: file=a/b.toml append -->

${FENCE}toml
a = 1
${FENCE}

<!-- docs: skip: needs "a" GPU -->
${FENCE}sql animus_reader
select 1;
${FENCE}`);
  expect(read.settings).toEqual({ database: 'server' });
  expect(read.models).toBe('[[answer]]\n');
  expect(read.blocks).toEqual([
    { line: 8, language: 'sh', role: '', text: 'echo 1\n', hidden: true, attributes: { as: 'ID' } },
    {
      line: 14,
      language: 'toml',
      role: '',
      text: 'a = 1\n',
      hidden: false,
      attributes: { file: 'a/b.toml', append: true },
    },
    {
      line: 19,
      language: 'sql',
      role: 'animus_reader',
      text: 'select 1;\n',
      hidden: false,
      attributes: { skip: 'needs "a" GPU' },
    },
  ]);
});

test('begins a new home at each comment about the page', () => {
  const block = `${FENCE}sh\na\n${FENCE}\n`;
  const parts = pages(`<!-- docs: page database=new -->\n${block}${block}<!-- docs: page -->\n${block}`);
  expect(parts.map(({ name, settings, blocks }) => [name, settings.database, blocks.length])).toEqual([
    ['a.md:1', 'new', 2],
    ['a.md:8', 'server', 1],
  ]);
});

test('adds the text of comments before and after a block', () => {
  const { blocks } = page(`<!-- docs: before\nlet a;\n-->\n${FENCE}ts\nb;\n${FENCE}\n<!-- docs: after\nc;\n-->`);
  expect(blocks.map(({ text }) => text)).toEqual(['let a;\nb;\nc;\n']);
});

test('takes the indentation of a list away', () => {
  const { blocks } = page(`1. A step\n   ${FENCE}sh\n   a\n     b\n   ${FENCE}\n\n     more of the step`);
  expect(blocks.map(({ text }) => text)).toEqual(['a\n  b\n']);
});

test.each([
  ['an unknown word', `<!-- docs: flie=a -->\n${FENCE}sh\n${FENCE}`, 'a.md:1: unknown word flie='],
  ['a flag with a value', `<!-- docs: fails=1 -->\n${FENCE}sh\n${FENCE}`, 'unknown word fails='],
  ['a value that is not known', `<!-- docs: in=gpu -->\n${FENCE}sh\n${FENCE}`, 'unknown value in in=gpu'],
  ['an unknown word about the page', '<!-- docs: page home=x -->', 'unknown word home'],
  ['a skip without a reason', `<!-- docs: skip: -->\n${FENCE}sh\n${FENCE}`, 'cannot be read: "skip:'],
  ['two comments about a block', '<!-- docs: fails -->\n<!-- docs: fails -->', 'a.md:2: two comments'],
  ['a comment without a block', '<!-- docs: fails -->\nText.', 'its last comment has no block'],
  ['a block without an end', `${FENCE}sh\na`, 'a.md:1: a block without an end'],
  ['an indented block', 'Text:\n\n    animus status', 'a.md:3: an indented block'],
])('refuses %s', (_name, text, message) => expect(() => pages(text)).toThrow(message));
