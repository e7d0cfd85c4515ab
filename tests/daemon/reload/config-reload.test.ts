import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { watchConfig } from '../../../src/daemon/reload/config-reload.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { eventually } from '../../support/eventually.ts';

test('a setting that takes effect later is a warning, a mistake an error', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reload-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'animus.toml');
  const load = () => loadConfig({ cwd: directory, env: { ANIMUS_HOME: directory } });
  writeFileSync(path, '');
  const said: string[] = [];
  const log = {
    ...silentLog,
    warn: (_: object, text: string) => void said.push(`warn ${text}`),
    error: (_: object, text: string) => void said.push(`error ${text}`),
  };
  const heard: (readonly string[])[] = [];
  const service = watchConfig({
    initial: load(),
    load,
    onChange: () => undefined,
    onProblems: async (problems) => void heard.push(problems),
    clock: systemClock,
    log,
    pollMs: 5,
  });
  await service.start();
  onTestFinished(() => service.stop());
  writeFileSync(path, '[daemon]\nhttp = "127.0.0.1:7999"\n');
  const later = `${path}: daemon.http was changed; it takes effect when this daemon is restarted`;
  await eventually('the warning', async () => said.includes(`warn ${later}`) || null);
  expect(heard.at(-1)).toEqual([later]);
  writeFileSync(path, '[daemon]\nhttpp = 1\n');
  await eventually('the error', async () => said.some((line) => line.startsWith('error ')) || null);
  expect(said.filter((line) => line.startsWith('error '))).toEqual([expect.stringContaining('httpp')]);
});
