import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { oncePerBatch } from '../../../src/process/runners/once-per-batch.ts';

test('looks once for each key, and again after the messages that came together', async () => {
  const seen: string[] = [];
  const look = oncePerBatch((key: string) => (seen.push(key), key === 'none' ? null : seen.length));
  expect([look('a'), look('a'), look('none'), look('none'), look('b')]).toEqual([1, 1, null, null, 3]);
  expect(seen).toEqual(['a', 'none', 'b']);
  // Each message is such a call, which was made before the first of them was handled.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(look('a')).toBe(4);
});

test('what a process does before it sends a message is seen when the message is handled', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'animus-batch-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [file, program] = [join(directory, 'file'), join(directory, 'program.mjs')];
  const module = new URL('../../../src/process/runners/once-per-batch.ts', import.meta.url).href;
  writeFileSync(
    program,
    `import { readFileSync } from 'node:fs';
     import { oncePerBatch } from ${JSON.stringify(module)};
     const read = oncePerBatch((path) => readFileSync(path, 'utf8'));
     process.on('message', ({ n }) => { const seen = Number(read(${JSON.stringify(file)})); process.send({ n, seen }); });
     process.send('ready');`,
  );
  const child = fork(program);
  onTestFinished(() => void child.kill());
  await once(child, 'message');
  const answers: { n: number; seen: number }[] = [];
  const MESSAGES = 2000;
  // With more than one read takes, several reads follow each other in one turn of the event loop.
  const rules = 'x'.repeat(20_000);
  const all = new Promise<void>((resolve) => {
    child.on('message', (answer: { n: number; seen: number }) => answers.push(answer) === MESSAGES && resolve());
  });
  for (let n = 1; n <= MESSAGES; n++) {
    writeFileSync(`${file}.new`, String(n));
    renameSync(`${file}.new`, file);
    child.send({ n, rules });
    if (n % 50 === 0) await new Promise(setImmediate);
  }
  await all;
  expect(answers.filter(({ n, seen }) => seen < n)).toEqual([]);
});
