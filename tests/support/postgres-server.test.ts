import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a process that started a server exits with its own exit code', () => {
  const program = `const { startPostgresServer } = await import(${JSON.stringify(new URL('./postgres-server.ts', import.meta.url).href)});
    await (await startPostgresServer()).stop();
    process.exitCode = 3;`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([3, '']);
});
