// This test is about the console.
/* oxlint-disable no-console */
import { expect, test } from 'vitest';
import { logLibraryOutput } from '../../src/telemetry/library-output.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

test('warnings of the process and output of libraries become log lines, and nothing else is written', async () => {
  const lines: string[] = [];
  const log = openLog({ format: 'json', level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const printed: string[] = [];
  const { error } = console;
  console.error = (...said: unknown[]) => void printed.push(String(said));
  const restore = logLibraryOutput(log);
  try {
    process.emitWarning('client.query() is called while another query runs', 'DeprecationWarning', 'PG001');
    console.error('could not read %s\u001b[2J', '.pgpass');
    await eventually('the warning is logged', () => (lines.length >= 2 ? true : null));
  } finally {
    restore();
  }
  console.error('printed again');
  console.error = error;
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        level: 'warn',
        warning: 'DeprecationWarning',
        code: 'PG001',
        detail: 'client.query() is called while another query runs',
      }),
      expect.objectContaining({
        level: 'error',
        message: 'a library prints',
        detail: 'could not read .pgpass\u001b[2J',
      }),
    ]),
  );
  expect(printed).toEqual(['printed again']);
});

const pg = testDatabase();

test('a daemon leaves the console and the warnings of its process to the program that runs it', async () => {
  const outputs = () => [console.log, console.error, ...process.listeners('warning')];
  const before = outputs();
  const files = { 'faculties/helper.toml': '[faculty]\nname = "helper"\n[faculty.engage]\nmode = "code"\n' };
  const daemon = await startTestDaemon({ databaseUrl: pg.connectionString, files, script: '[[answer]]\ntext = "x"\n' });
  expect(outputs()).toEqual(before);
  await daemon.stop();
});
