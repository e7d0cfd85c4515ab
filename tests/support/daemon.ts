/** A complete daemon in the test's own process, with a scripted model, on the test's database. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/catalog/config/load-config.ts';
import { type Clock, systemClock } from '../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../src/core/lifecycle/interrupts.ts';
import { runDaemon } from '../../src/daemon/daemon.ts';
import type { DaemonOptions, DaemonReady } from '../../src/daemon/daemon-options.ts';
import type { FocusEvent } from '../../src/engage/events/events.ts';
import { loadFeatures, loadSections } from '../../src/features/features.ts';
import type { Log } from '../../src/telemetry/log.ts';

export interface TestDaemon extends DaemonReady {
  readonly directory: string;
  readonly events: readonly FocusEvent[];
  /** Its log lines, as `level message`. */
  readonly lines: readonly string[];
  /** Writes a file below the site's directory; `mode` 0o755 for hooks. */
  write(path: string, text: string, mode?: number): void;
  /** Drains it and resolves when it has stopped. */
  stop(): Promise<void>;
}

export interface TestDaemonOptions {
  readonly databaseUrl: string;
  /** Files below the site's directory, by path; faculties are `faculties/NAME.toml`. Hooks begin with `#!`. */
  readonly files: Readonly<Record<string, string>>;
  /** The answers of provider `play`. */
  readonly script: string;
  /** Further text of animus.toml. */
  readonly config?: string;
  /** True: it looks for skills in `skills/`. */
  readonly skills?: boolean;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The host name it reports; default: this machine's. */
  readonly host?: string;
  /** What serves HTTP; default: nothing does. */
  readonly http?: Pick<DaemonOptions, 'openHealth' | 'openApi'>;
}

/** Starts it and resolves when it is ready for work; it is stopped when the test has finished. */
export async function startTestDaemon(options: TestDaemonOptions): Promise<TestDaemon> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-daemon-'));
  const write = (path: string, text: string) => {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, text.startsWith('#!') ? 0o755 : 0o644);
  };
  const play = '[providers.play]\nkind = "scripted"\nscript = "script.toml"\n';
  write('animus.toml', `${options.config ?? ''}\n${play}`);
  write('script.toml', options.script);
  for (const [path, text] of Object.entries(options.files)) write(path, text);

  const env = { HOME: directory, ANIMUS_HOME: join(directory, 'home'), DATABASE_URL: options.databaseUrl };
  const sections = await loadSections();
  const load = () => loadConfig({ env, cwd: directory }, sections);
  const interrupts = createInterrupts(systemClock);
  const ready = Promise.withResolvers<DaemonReady>();
  const events: FocusEvent[] = [];
  const lines: string[] = [];
  const running = runDaemon(
    {
      parts: await loadFeatures(),
      config: load(),
      version: 'test',
      reloadConfig: load,
      ...(options.host !== undefined && { host: options.host }),
      ...(options.clock !== undefined && { clock: options.clock }),
      ...options.http,
      facultiesDir: join(directory, 'faculties'),
      ...(options.skills === true && { skillsDirs: [join(directory, 'skills')] }),
      log: recordingLog(lines),
      onEvent: (event) => events.push(event),
      onReady: ready.resolve,
    },
    interrupts,
  );
  running.catch(ready.reject);
  const stop = async () => {
    interrupts.receive('SIGTERM');
    await running;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return { ...(await ready.promise), directory, events, lines, write, stop };
}

function recordingLog(lines: string[]): Log {
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return log;
}
