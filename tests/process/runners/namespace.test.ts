import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { namespaceRunner } from '../../../src/process/runners/namespace.ts';

const works = (await namespaceRunner.examine()) === null;

test.skipIf(!works)('a command whose hidden file is gone is not started: its content may be elsewhere', () => {
  const request = { command: 'true', args: [], cwd: tmpdir(), maxTasks: 10, maxMemoryBytes: 2 ** 30 };
  const start = (path: string, access: 'hidden' | 'read') =>
    namespaceRunner.start({ ...request, fileRules: [{ path, access }] });
  expect(() => start('/nowhere/key', 'hidden')).toThrow('/nowhere/key must be hidden but does not exist');
  expect(start('/nowhere/key', 'read')).toMatchObject({ gated: true });
  expect(start(tmpdir(), 'read')).toMatchObject({ gated: true });
});
