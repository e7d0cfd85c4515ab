/** Tools run in the thread that also renews the leases of all foci. No computation of a tool may block the work of others. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseWebTarget } from '../../src/core/text/web-target.ts';
import { validInput } from '../../src/engage/calls/gates.ts';
import { FILE_TOOLS } from '../../src/tools/files.ts';
import { LEDGER_TOOLS } from '../../src/tools/ledger.ts';
import { readOutput } from '../../src/tools/read-output.ts';
import { SHELL_TOOLS } from '../../src/tools/shell.ts';
import { WAIT_TOOLS } from '../../src/tools/wait.ts';
import { webFetch } from '../../src/tools/web/web-fetch.ts';
import { setUpBench } from '../tools/tool-context.ts';

/** Processor time that one turn of the event loop may take. A heartbeat comes every 20 s, so this leaves a large margin. */
const MAX_MS = 400;
const MIB = 1024 * 1024;
/** Size of the files. The tools accept up to 10 MiB, but this makes the test faster. */
const SIZE = 4 * MIB;
/** Answers with what its path names. */
const pages = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[request.url ?? '']?.());
});
const PAGES: Readonly<Record<string, () => string>> = {
  '/nested': () => '<div>'.repeat(MIB),
  '/lists': () => '<ul><li>'.repeat(500_000),
  '/closed': () => '<div>'.repeat(400_000) + '</b>'.repeat(400_000),
  '/spaces': () => `<pre>${' '.repeat(5 * MIB)}`,
  '/links': () => '<a href=x>y</a>'.repeat(300_000),
  '/small': () => `${'<div>'.repeat(6000)}${'</b>'.repeat(8000)}`,
};
const page = (path: string) => ({ url: `http://127.0.0.1:${(pages.address() as AddressInfo).port}${path}` });
const web = webFetch(() => ({ allow: [parseWebTarget('127.0.0.1')!] }));
const TOOLS = new Map(
  [web, ...FILE_TOOLS, ...SHELL_TOOLS, ...LEDGER_TOOLS, ...WAIT_TOOLS, readOutput].map((tool) => [tool.name, tool]),
);

const patch = (body: string) => ({ patch: `*** Begin Patch\n${body}\n*** End Patch` });
const update = (hunks: string, file = 'lines') => patch(`*** Update File: ${file}\n${hunks}`);
const nested = (depth: number) => JSON.parse('[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth)) as unknown;
const manyKeys = (length = 300_000) => Object.fromEntries(Array.from({ length }, (_, n) => [`key${n}`, n]));
/** Nearly as long as a whole input may be. */
const ALLOWED = 11 * MIB;
/** Nearly as many properties as an object of an input may have. */
const ALLOWED_KEYS = 9_900;

/** A tool and its input, which is created only when it runs. */
const WORST: readonly (readonly [string, string, () => object])[] = [
  ['apply_patch', 'nine million newlines', () => ({ patch: '\n'.repeat(9 * MIB) })],
  ['apply_patch', 'millions of newlines inside', () => update('\n'.repeat(4 * MIB))],
  ['apply_patch', 'millions of lines of an added file', () => patch(`*** Add File: new\n${'+\n'.repeat(2 * MIB)}`)],
  ['apply_patch', 'hundreds of thousands of sections', () => patch('*** Delete File: a\n'.repeat(150_000))],
  [
    'apply_patch',
    'hundreds of thousands of moves',
    () => patch('*** Update File: a\n*** Move to: b\n'.repeat(200_000)),
  ],
  ['apply_patch', 'millions of @@ lines', () => update(`${'@@ x\n'.repeat(600_000)}-y\n+z`)],
  ['apply_patch', 'a hunk of millions of lines that is not there', () => update(`${' \n'.repeat(MIB)}-y\n+z`)],
  ['apply_patch', 'a hunk in millions of empty lines', () => update('-y\n+z')],
  ['apply_patch', 'hunks that each look through the whole file', () => update('@@ q\n-y\n+z\n'.repeat(90), 'words')],
  ['apply_patch', 'a file of one line', () => update('-a\n+z', 'line')],
  ['apply_patch', 'a patch of one line', () => ({ patch: 'x'.repeat(10 * MIB) })],
  ['edit_file', 'a text that nearly fits everywhere', () => edit('line', `b${'a'.repeat(SIZE / 2)}`)],
  ['edit_file', 'a text of lines that is nowhere', () => edit('lines', `${'\n'.repeat(SIZE - 9)}x`)],
  ['edit_file', 'a text like every line', () => edit('words', `${'the quick brown fox '.repeat(20)}y`)],
  ['edit_file', 'millions of replacements', () => ({ ...edit('line', 'a'), new_string: 'bb', replace_all: true })],
  [
    'edit_file',
    'replacements beyond all memory',
    () => ({ ...edit('line', 'a'), new_string: 'b'.repeat(MIB), replace_all: true }),
  ],
  ['edit_file', 'an empty file and a huge text', () => edit('empty', '\r\n'.repeat(20 * MIB))],
  ['read_file', 'millions of lines', () => ({ path: 'lines' })],
  ['read_file', 'the last of millions of lines', () => ({ path: 'lines', offset: SIZE - 10 })],
  ['read_file', 'one long line', () => ({ path: 'line' })],
  ['read_file', 'a path of 20 MiB', () => ({ path: 'a/'.repeat(10 * MIB) })],
  ['remove_file', 'a path of 20 MiB', () => ({ path: 'a/'.repeat(10 * MIB) })],
  ['write_file', 'as much as is allowed', () => ({ path: 'out', content: 'ü'.repeat(5 * MIB) })],
  ['write_file', 'a path as long as is allowed', () => ({ path: 'a/'.repeat(ALLOWED / 2), content: 'x' })],
  ['write_file', 'much more than is allowed', () => ({ path: 'out', content: 'x'.repeat(200 * MIB) })],
  ['list_dir', 'a directory of 20,000 files', () => ({ path: 'many' })],
  ['glob', 'stars against long names', () => ({ pattern: `${'*a'.repeat(450)}b` })],
  ['glob', 'stars in directories', () => ({ pattern: `${'**/*a*/'.repeat(100)}b` })],
  ['glob', 'alternatives', () => ({ pattern: '{a*a*a*b,*}'.repeat(8) })],
  ['glob', 'braces that never close', () => ({ pattern: '{a,'.repeat(330) })],
  ['grep', 'a pattern that never ends', () => ({ pattern: '(a+)+$', path: 'line' })],
  ['grep', 'millions of matches', () => ({ pattern: '^', path: 'lines', limit: 500 })],
  ['grep', 'many files', () => ({ pattern: 'x' })],
  ['grep', 'a pattern that is hard to read', () => ({ pattern: `${'(a|'.repeat(240)}b${')'.repeat(240)}` })],
  ...Object.keys(PAGES).map((path) => ['web_fetch', `a page of ${path.slice(1)}`, () => page(path)] as const),
  ['bash_job', 'a long id', () => ({ id: 'x'.repeat(MIB) })],
  ['bash', 'a command of 50 MiB', () => ({ command: `: ${'x'.repeat(50 * MIB)}` })],
  ['bash', 'a command as long as is allowed', () => ({ command: `: ${'x'.repeat(ALLOWED)}` })],
  ['bash', 'endless output', () => ({ command: 'yes | head -c 200000000', timeout_seconds: 15 })],
  ['ledger_append', 'an entry of 100 MiB', () => ({ type: 'note', content: ' '.repeat(100 * MIB) })],
  ['ledger_append', 'an entry as long as is allowed', () => ({ type: 'note', content: ' '.repeat(ALLOWED) })],
  ['ledger_read', 'keys without end', () => manyKeys()],
  ['ledger_read', 'as many keys as are allowed', () => manyKeys(ALLOWED_KEYS)],
  ['read_output', 'a deep value', () => ({ artifact: nested(2_000) })],
  ['wait_until', 'a reason of 100 MiB', () => ({ seconds: 5, reason: 'x'.repeat(100 * MIB) })],
  ['wait_until', 'a reason as long as is allowed', () => ({ seconds: 5, reason: 'x'.repeat(ALLOWED) })],
  ['read_file', 'keys without end', () => ({ path: 'line', ...manyKeys() })],
  ['read_file', 'as many keys as are allowed', () => ({ path: 'line', ...manyKeys(ALLOWED_KEYS) })],
  ['write_file', 'a deep value', () => ({ path: nested(2_000), content: 'x' })],
];

function edit(path: string, old: string) {
  return { path, old_string: old, new_string: 'n' };
}

test('no input of a tool stalls the event loop; the worst input of each tool is tried', {
  timeout: 600_000,
}, async () => {
  const { context, workspace } = await setUpBench({ timeoutMs: 3000 });
  await new Promise<void>((listening) => void pages.listen(0, '127.0.0.1', () => listening()));
  onTestFinished(() => void pages.close());
  const write = (name: string, text: string) => writeFileSync(join(workspace, name), text);
  write('lines', '\n'.repeat(SIZE - 1));
  write('line', 'a'.repeat(SIZE));
  write('words', 'the quick brown fox jumps over the lazy dog again and again\n'.repeat(SIZE / 60));
  write('empty', '');
  mkdirSync(join(workspace, 'many'));
  for (let n = 0; n < 20_000; n++) write(`many/${n}${'a'.repeat(n % 7 === 0 ? 200 : 3)}`, '');

  const stalls: string[] = [];
  for (const [name, what, input] of WORST) {
    const tool = TOOLS.get(name)!;
    const given = input();
    const longest = await longestTurn(async () => {
      const valid = await validInput(tool, given);
      return valid.kind === 'ready' && tool.kind === 'world' ? await tool.run(valid.input, context) : null;
    });
    if (longest > MAX_MS) stalls.push(`${name} with ${what}: ${Math.round(longest)} ms`);
  }
  expect(stalls).toEqual([]);
  expect([...TOOLS.keys()].filter((name) => !WORST.some(([tool]) => tool === name))).toEqual([]);
});

/** The maximum processor time of this thread between two turns of the event loop; time used by other processes does not count. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = cpuMs();
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  longest = 0;
  await work();
  look();
  clearInterval(timer);
  return longest;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
