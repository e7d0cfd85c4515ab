import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toolSpecs } from '../../src/tools/registry.ts';
import { processesWith } from '../process/live-processes.ts';
import { setUpMcp } from '../support/mcp/mcp-bench.ts';

test('a faculty gets the pinned tools under prefixed names, and nothing is started for the list', async () => {
  const starts = join(directory(), 'starts');
  const bench = await setUpMcp({ hostile: { starts, only: ['echo', 'Odd.name/with:signs', 'bad_schema'] } });
  expect((await bench.open()).tools).toEqual([]);
  await bench.pin();
  expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(2);
  const { tools, call } = await bench.open();
  expect(tools.map(({ name }) => name)).toEqual(['mcp_hostile_echo', 'mcp_hostile_Odd_name_with_signs_e3c8956846']);
  const [spec] = toolSpecs(new Map(tools.map((tool) => [tool.name, tool])));
  expect(spec?.description).toBe(
    'The tool "echo" of the MCP server "hostile". The server describes it as follows:\nSays it again',
  );
  expect(spec?.inputSchema).toMatchObject({ type: 'object', required: ['words'] });
  expect(tools.map(({ risk, kind }) => [risk, kind])).toEqual([
    ['execute', 'world'],
    ['execute', 'world'],
  ]);
  expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(2);
  expect(await call('echo', { words: 'aaa!' })).toMatchObject({ content: 'aaa!' });
  expect(await call('mcp_hostile_Odd_name_with_signs_e3c8956846')).toMatchObject({ content: 'odd' });
  expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(3);
});

test('inputs are checked by the schema, and a regular expression of the server is never run', async () => {
  const bench = await setUpMcp({ hostile: { only: ['echo'] } });
  await bench.pin();
  const { find } = await bench.open();
  const { input } = find('echo');
  expect((await input.safeParseAsync({})).error?.issues[0]?.message).toContain('words');
  expect((await input.safeParseAsync({ words: 7 })).error?.issues[0]).toMatchObject({
    path: ['words'],
    message: 'must be string',
  });
  // Takes minutes with the server's expression.
  expect((await input.safeParseAsync({ words: `${'a'.repeat(60)}!` })).success).toBe(true);
});

test('errors of the server are results for the model, and nothing is in doubt', async () => {
  const { call } = await opened();
  expect(await call('fail')).toMatchObject({ content: 'it went wrong', isError: true });
  const refused = await call('refuse');
  expect(refused).toMatchObject({ content: expect.stringContaining('no such thing'), isError: true });
  expect(refused.inDoubt).toBeUndefined();
});

test('every kind of content becomes text, and long ones are cut', async () => {
  const { call } = await opened();
  expect((await call('parts')).content).toBe(
    'words\n\n[image image/png, 3 bytes: not shown]\n\n[resource file:///a text/plain]\ninside\n\n' +
      '[resource file:///b application/zip, 6 bytes: not shown]\n\n[resource file:///c c: the third]',
  );
  expect((await call('structured')).content).toBe('{"degrees":21}');
  const { content } = await call('long');
  expect(content.length).toBeLessThan(33_000);
  expect([content.startsWith('beginü'), content.endsWith('üend')]).toEqual([true, true]);
});

test('a server has no variables but those that the faculty names, and its secrets are masked', async () => {
  process.env['MCP_TEST_SECRET'] = 'not for servers';
  onTestFinished(() => void delete process.env['MCP_TEST_SECRET']);
  const { call } = await opened({ variables: { SERVER_TOKEN: 'token-1234' } });
  const { content } = await call('env');
  expect(Object.keys(JSON.parse(content)).toSorted()).toEqual(
    ['ANIMUS_SPAWN_ID', 'ANIMUS_WORK_ID', 'HOME', 'HOSTILE', 'LANG', 'PATH', 'PWD', 'SERVER_TOKEN', 'TMPDIR'].filter(
      (name) => name !== 'PWD' || content.includes('"PWD"'),
    ),
  );
  expect(content).toMatch(/"HOME":"[^"]*\/home-\w+"/);
  expect(content).toContain('"SERVER_TOKEN":"***"');
  expect(content).not.toContain('token-1234');
});

test('a server that cannot be started, or ends at once, says why, without secrets', async () => {
  const bench = await setUpMcp({ hostile: { only: ['echo'] }, variables: { SERVER_TOKEN: 'token-1234' } });
  await bench.pin();
  bench.values['HOSTILE'] = JSON.stringify({ exitAtOnce: true });
  const { call } = await bench.open();
  expect(await call('echo', { words: 'a' })).toMatchObject({
    content:
      'the MCP server hostile cannot be used: it ended (exit code 3); it last wrote to stderr: cannot start: the token is ***',
    isError: true,
  });
  delete bench.values['SERVER_TOKEN'];
  expect((await call('echo', { words: 'a' })).content).toContain('the variable SERVER_TOKEN of the daemon is not set');
});

test('a crash puts the call in doubt, and the next call starts the server again, a few times', async () => {
  const { call } = await opened();
  const crashed = await call('crash');
  expect(crashed).toMatchObject({ isError: true, inDoubt: true });
  expect(crashed.content).toContain('it ended (exit code 7)');
  expect(await call('echo', { words: 'again' })).toEqual(expect.objectContaining({ content: 'again' }));
  for (let crash = 0; crash < 3; crash++) await call('crash');
  expect(await call('echo', { words: 'x' })).toMatchObject({
    content: expect.stringContaining('it ended 4 times, and is not started again'),
    isError: true,
  });
});

test('a call that may be repeated is repeated once after a crash, and is never in doubt', async () => {
  const { call } = await opened({ idempotent: ['crash_once', 'crash'] });
  expect(await call('crash_once', { mark: join(directory(), 'mark') })).toMatchObject({ content: 'the second time' });
  const twice = await call('crash');
  expect(twice).toMatchObject({ isError: true, content: expect.stringContaining('You may call it again') });
  expect(twice.inDoubt).toBeUndefined();
});

test('a call that does not end in time is cancelled at the server and in doubt; the server stays if it answers', async () => {
  const log = join(directory(), 'log');
  const { call } = await opened({ hostile: { log } });
  await call('echo', { words: 'warm' });
  const late = await call('hang', {}, { timeoutMs: 1000 });
  expect(late).toMatchObject({ isError: true, inDoubt: true });
  expect(late.content).toContain('did not answer within 0.5 s');
  expect(readFileSync(log, 'utf8')).toContain('notifications/cancelled');
  const before = readFileSync(log, 'utf8').split('"initialize"').length;
  expect(await call('echo', { words: 'still there' })).toMatchObject({ content: 'still there' });
  expect(readFileSync(log, 'utf8').split('"initialize"')).toHaveLength(before);
});

test('a server that is frozen is stopped after a call that did not end, and started again', async () => {
  const { call } = await opened();
  await call('echo', { words: 'warm' });
  expect(await call('freeze', {}, { timeoutMs: 1000 })).toMatchObject({ inDoubt: true });
  expect(await call('echo', { words: 'new' })).toMatchObject({ content: 'new' });
});

test('an aborted call rejects, and the server is told', async () => {
  const log = join(directory(), 'log');
  const { call } = await opened({ hostile: { log } });
  await call('echo', { words: 'warm' });
  const abort = new AbortController();
  const hanging = call('hang', {}, { signal: abort.signal });
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('"hang"');
  abort.abort(new Error('cancelled by a person'));
  await expect(hanging).rejects.toThrow('cancelled by a person');
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('notifications/cancelled');
});

test('floods, noise and endless lists end the server, not the daemon', async () => {
  const { call } = await opened();
  expect((await call('flood')).content).toContain('it sent a message of more than 10 MiB');
  expect((await call('noise')).content).toContain('it printed 1000 lines that are not messages');
  expect((await call('chatter')).content).toBe('after 1500 notifications');
  const endless = await setUpMcp({ hostile: { endless: true } });
  await expect(endless.pin()).rejects.toThrow('its list of tools has more than 50 pages');
});

test('a banner does no harm, and a server that never answers is given up', async () => {
  const { call } = await opened({ hostile: { banner: true } });
  expect(await call('echo', { words: 'hi' })).toMatchObject({ content: 'hi' });
  const bench = await setUpMcp({ hostile: { only: ['echo'] }, startTimeoutSeconds: 1 });
  await bench.pin();
  bench.values['HOSTILE'] = JSON.stringify({ silent: true });
  const silent = await bench.open();
  expect((await silent.call('echo', { words: 'x' })).content).toMatch(/cannot be used: .*timed out/i);
});

test('what a server asks of the client is refused, and answers that nobody asked for are ignored', async () => {
  const { call } = await opened();
  const { content } = await call('strangers');
  expect(content.split('; ').map((answer) => answer.split(':')[0])).toEqual(['x', 'y', 'z']);
  expect(content).not.toContain('granted');
});

test('a changed or missing tool is refused until it is pinned again, also when it changes while the server runs', async () => {
  const bench = await setUpMcp({ hostile: { only: ['echo', 'change', 'fail'] } });
  await bench.pin();
  const { call } = await bench.open();
  expect(await call('echo', { words: 'a' })).toMatchObject({ content: 'a' });
  await call('change');
  expect(await call('echo', { words: 'a' })).toMatchObject({
    content: expect.stringContaining('refused: it has changed since it was pinned. A person has to look at it'),
    isError: true,
  });
  expect(bench.reports).toEqual(['echo: it has changed since it was pinned']);

  bench.values['HOSTILE'] = JSON.stringify({ only: ['echo'], changed: true });
  const next = await bench.open();
  expect((await next.call('echo', { words: 'a' })).isError).toBe(true);
  expect((await next.call('fail')).content).toContain('refused: the server no longer has it');
  await bench.pin();
  const again = await bench.open();
  expect(await again.call('echo', { words: 'a' })).toMatchObject({ content: 'a' });
});

test('the server ends with the focus', async () => {
  const starts = join(directory(), 'starts');
  const bench = await setUpMcp({ hostile: { starts } });
  await bench.pin();
  const { call, close } = await bench.open();
  await Promise.all([1, 2, 3].map((n) => call('echo', { words: `${n}` })));
  expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(3);
  expect(processesWith(starts).length).toBeGreaterThan(0);
  await close?.();
  expect(processesWith(starts)).toEqual([]);
});

async function opened(options: Parameters<typeof setUpMcp>[0] = {}) {
  const bench = await setUpMcp(options);
  await bench.pin();
  return bench.open();
}

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'animus-mcp-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
