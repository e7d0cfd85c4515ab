/**
 * Promise: nothing that animus starts outlives it, no matter when supervisor and daemon are killed, even during the start of a
 * command. `unshare --kill-child` arms its death signal after its fork, so a kill in between is the critical
 * moment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Isolation } from '../../src/process/process-host.ts';
import { withFirstStep } from '../../src/process/runners/first-step.ts';
import { runnerOf } from '../../src/process/runners/runners.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';
import { eventually, processesWith } from '../process/live-processes.ts';
import { scratch } from './commands.ts';

const modes = await isolationModes();
const PROGRAM = new URL('../process/daemon-program.ts', import.meta.url).pathname;

test.skipIf(!modes.includes('namespace'))(
  'a leader killed right after its fork, before its death signal is armed, leaves nothing alive',
  async () => {
    const token = randomUUID();
    let killedAfterFork = 0;
    for (let attempt = 0; attempt < 60; attempt++) {
      const leader = startLeader(token);
      await spinUntilItForks(leader.pid!);
      leader.kill('SIGKILL');
      killedAfterFork++;
      // Closes the supervisor's end of the gate, as when it is killed together with its child.
      leader.stdio[3]?.destroy();
    }
    expect(killedAfterFork).toBe(60);
    await eventually(
      () => processesWith(token),
      (pids) => pids.length === 0,
    );
  },
);

test.skipIf(!modes.includes('namespace'))(
  'if the leader is killed while the supervisor lives, its gate never opens',
  async () => {
    const token = randomUUID();
    const leaders: ChildProcess[] = [];
    for (let attempt = 0; attempt < 30; attempt++) {
      const leader = startLeader(token);
      await spinUntilItForks(leader.pid!);
      leader.kill('SIGKILL');
      leaders.push(leader);
    }
    // The remaining process reaches its gate and stays there: no command was started.
    const programs = await eventually(
      () => processesWith(token).map(programOf),
      (left) => left.every((name) => name === 'sh' || name === 'sleep'),
    );
    expect(programs).not.toContain('sleep');
    for (const leader of leaders) leader.stdio[3]?.destroy();
    await eventually(
      () => processesWith(token),
      (pids) => pids.length === 0,
    );
  },
);

const reliable = modes.filter((mode) => mode === 'namespace');
test.skipIf(reliable.length === 0).each(reliable)(
  'in isolation %s, supervisor and daemon killed at the same random moment leave nothing alive',
  async (isolation) => {
    const token = randomUUID();
    for (let attempt = 0; attempt < 12; attempt++) {
      const daemon = playDaemon(isolation, token);
      const supervisor = await eventually(
        () => childrenOf(daemon.pid!)[0],
        (pid) => pid !== undefined,
      );
      // The moment is random, between the request for the command and its run.
      await sleep(Math.random() * 250);
      process.kill(daemon.pid!, 'SIGSTOP');
      process.kill(supervisor!, 'SIGKILL');
      daemon.kill('SIGKILL');
      await once(daemon, 'exit');
    }
    await eventually(
      () => processesWith(token),
      (pids) => pids.length === 0,
    );
  },
);

/** The first process of a run, as the supervisor starts it, with a gate that never opens. */
function startLeader(token: string): ChildProcess {
  const line = runnerOf('namespace').start({
    command: '/bin/sleep',
    args: ['300'],
    cwd: '/',
    maxTasks: 1000,
    maxMemoryBytes: 2 ** 26,
  });
  if (typeof line === 'string') throw new Error(line);
  const { command, args } = withFirstStep(line, null);
  const child = spawn(command, args, {
    cwd: '/',
    env: { TOKEN: token },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', line.file],
  });
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => {});
  void line.place!.namespaces.then((where) => gate.write(`${where}\n`));
  return child;
}

/** Polls without a pause: the moment between fork and prctl lasts some hundred microseconds. */
async function spinUntilItForks(pid: number): Promise<void> {
  for (let turn = 0; childrenOf(pid).length === 0; turn++) {
    if (turn % 1000 === 999) await sleep(0);
    if (turn > 200_000) throw new Error('it never forked');
  }
}

function playDaemon(isolation: Isolation, token: string): ChildProcess {
  // The keeper of the place has it in its arguments.
  const hidden = join(scratch(), token);
  mkdirSync(hidden);
  const spec = {
    owner: 'focus',
    command: 'sleep',
    args: ['300'],
    cwd: startDirectory(isolation),
    env: { PATH: '/usr/bin:/bin', TOKEN: token },
    timeoutMs: 60_000,
    maxOutputBytes: 1000,
    isolation,
    fileRules: [{ path: hidden, access: 'hidden' }],
  };
  const argument = Buffer.from(JSON.stringify({ spec })).toString('base64');
  return spawn(process.execPath, [PROGRAM, argument], { detached: true, stdio: 'ignore' });
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
