import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookScript } from './hook-script.ts';

const EXAMPLES = new URL('../../../docs/examples/hooks/', import.meta.url).pathname;

/** Runs an example on a call; the directory is the workspace. */
async function example() {
  const { run, directory } = await hookScript('#!/bin/sh\n');
  const given = (tool: string, input: object) => ({
    work_item: { id: 'w1' },
    faculty: { name: 'f', workspace: directory },
    call: { id: 'c1', tool, risk: 'read', input },
  });
  const forbid = async (tool: string, input: object) => {
    const call = { command: join(EXAMPLES, 'forbid-paths.py'), args: ['.env*', 'secrets/*'] };
    const result = await run('before_tool_call', call, undefined, given(tool, input));
    return result.kind === 'blocked' ? result.reason : result.kind;
  };
  return { run, directory, given, forbid };
}

test('forbid-paths.py refuses forbidden paths, by whatever name they are called', async () => {
  const { directory, forbid } = await example();
  mkdirSync(join(directory, 'secrets'));
  writeFileSync(join(directory, 'secrets', 'key'), 'k');
  symlinkSync('secrets/key', join(directory, 'harmless'));
  expect(await forbid('read_file', { path: 'src/a.ts' })).toBe('proceed');
  expect(await forbid('list_dir', {})).toBe('proceed');
  for (const path of ['app/.env.local', 'secrets', './a/../secrets/key', 'harmless']) {
    expect(await forbid('read_file', { path })).toBe(`${path} may not be used here`);
  }
  const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: secrets/a.ts\n*** End Patch';
  expect(await forbid('apply_patch', { patch })).toBe('secrets/a.ts may not be used here');
  expect(await forbid('grep', { pattern: 'x' })).toContain('contains files that may not be read');
});

test('redact-secrets.py removes secrets from a result, and leaves others alone', async () => {
  const { run, given } = await example();
  const redact = async (content: string) => {
    const facts = { ...given('bash', {}), result: { content, is_error: false, details: { tail: content } } };
    const result = await run('after_tool_call', { command: join(EXAMPLES, 'redact-secrets.py') }, undefined, facts);
    return result.kind === 'output' && result.output.decision === 'modify' ? result.output.patch.content : result.kind;
  };
  expect(await redact('nothing here: 12 tests passed')).toBe('proceed');
  expect(await redact('id AKIAABCDEFGHIJKLMNOP end')).toBe('id [redacted] end');
  expect(await redact('-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest')).toBe(
    '[redacted]\nrest',
  );
  expect(await redact('postgres://ada:geheim@db/x')).toBe('postgres://[redacted]@db/x');
  expect(await redact('API_TOKEN=abcdef123\n{"password": "hunter22"}')).toBe(
    'API_TOKEN=[redacted]\n{"password": "[redacted]"}',
  );
});

test('add-notices.py adds the text of a file until the model has it', async () => {
  const { run, directory, given } = await example();
  const file = join(directory, 'notices');
  const ask = (messages: readonly object[]) =>
    run('before_llm_call', { command: join(EXAMPLES, 'add-notices.py'), args: [file] }, undefined, {
      ...given('', {}),
      messages,
    });
  expect(await ask([])).toMatchObject({ kind: 'proceed' });
  writeFileSync(file, 'No deploys today.\n');
  const append = 'Notices of the operator:\nNo deploys today.';
  expect(await ask([])).toMatchObject({ output: { patch: { append } } });
  expect(await ask([{ role: 'user', content: [{ type: 'text', text: append }] }])).toMatchObject({ kind: 'proceed' });
});

test('audit.mjs appends a line for each call and result, and fails where it cannot', async () => {
  const { run, directory, given } = await example();
  const command = join(EXAMPLES, 'audit.mjs');
  const file = join(directory, 'audit.mjsonl');
  const facts = given('bash', { command: 'ls' });
  expect(
    await run('before_tool_call', { command, args: [file] }, undefined, { ...facts, event: 'before_tool_call' }),
  ).toMatchObject({ kind: 'proceed' });
  const result = { content: 'ä', is_error: true, details: null };
  await run('after_tool_call', { command, args: [file] }, undefined, { ...facts, event: 'after_tool_call', result });
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { event: 'before_tool_call', work_item: 'w1', focus: 'focus-1', tool: 'bash', call: 'c1', turn: 3 },
    { event: 'after_tool_call', is_error: true, bytes: 2 },
  ]);
  expect(await run('before_tool_call', { command, args: ['/nowhere/audit'] }, undefined, facts)).toMatchObject({
    kind: 'failed',
    error: { code: 'hook.failed' },
  });
});
