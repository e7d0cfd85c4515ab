/**
 * What rules and hooks of the loop cost: `npm run bench -- tests/bench/engage/hooks.ts [--turns N]`. A scripted focus makes one call a turn: without
 * either, with twenty permission rules that let it run, and with one hook of each event, a shell script that prints nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoopHook, NO_LOOP_HOOKS } from '../../../src/catalog/faculty/loop-hooks.ts';
import type { Permissions } from '../../../src/core/permissions/permissions.ts';
import { parseRuleKey } from '../../../src/core/permissions/rule-key.ts';
import { HOOK_EVENTS, type HookEvent } from '../../../src/core/work/words.ts';
import { hooksOnResults } from '../../../src/daemon/hooks/after-tool-call.ts';
import { hooksOnRequests } from '../../../src/daemon/hooks/before-llm-call.ts';
import { hookGate } from '../../../src/daemon/hooks/before-tool-call.ts';
import { runHookCommand } from '../../../src/daemon/hooks/hook-command.ts';
import type { HookInput } from '../../../src/daemon/hooks/hook-output.ts';
import { createHookRecords } from '../../../src/daemon/hooks/hook-records.ts';
import type { HookedLoop } from '../../../src/daemon/hooks/loop-hook.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import { permissionGate } from '../../../src/engage/calls/permission-gate.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';
import type { Isolation } from '../../../src/process/process-host.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { benchDatabase, median } from '../support/bench-database.ts';
import { figure, report } from '../support/report.ts';
import { postgresCpuMs } from './postgres-cpu.ts';

const { values } = parseArgs({ options: { turns: { type: 'string' } } });
const turns = Number(values.turns ?? 50);
const ROUNDS = 3;

/** Nineteen that do not fit, and one that does. */
const RULES: Permissions = {
  rules: [...Array.from({ length: 19 }, (_, n) => `write(n=${n}0000)`), 'write'].map((key, n) => {
    const parsed = parseRuleKey(key);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return { ...parsed, key, verdict: 'auto', at: `bench:${n}` };
  }),
  risk: {},
  approvalDeadlineSeconds: 60,
};

const directory = mkdtempSync(join(tmpdir(), 'animus-bench-hooks-'));
const command = join(directory, 'hook');
writeFileSync(command, '#!/bin/sh\n', { mode: 0o755 });
const processes = createProcessHost();
const { db, close } = await benchDatabase();
try {
  const best = await detectIsolation();
  console.log('hook of            isolation   ms per turn  statements  Node, ms CPU  Postgres, ms CPU');
  for (const isolation of new Set<Isolation>(['none', best])) {
    for (const around of [null, 'rules' as const, ...HOOK_EVENTS]) await measure(around, isolation);
  }
} finally {
  await processes.stop();
  await close();
  rmSync(directory, { recursive: true });
}

/** What stands around the calls; null: nothing. */
type Around = HookEvent | 'rules' | null;

async function measure(event: Around, isolation: Isolation): Promise<void> {
  await runOnce(event, isolation); // starts the supervisor, fills caches
  const rounds: Awaited<ReturnType<typeof runOnce>>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await runOnce(event, isolation));
  const figureOf = (name: keyof (typeof rounds)[number]) => figure(median(rounds.map((each) => each[name])));
  const figures = {
    ms: figureOf('ms'),
    statements: figureOf('statements'),
    'Node, ms CPU': figureOf('node'),
    'Postgres, ms CPU': figureOf('postgres'),
  };
  const who = event === null ? 'nothing' : event === 'rules' ? '20 rules' : event;
  console.log(
    [who.padEnd(18), isolation.padEnd(11), ...Object.values(figures).map((text) => text.padStart(11))].join(' '),
  );
  report({ what: `a turn with a call, ${isolation}`, who, figures });
}

async function runOnce(event: Around, isolation: Isolation) {
  const calls = Array.from(
    { length: turns },
    (_, n) => `[[answer]]\nturn = ${n + 1}\ncall = [{ tool = "write", input = { n = ${n} } }]`,
  );
  const script = [...calls, `[[answer]]\nturn = ${turns + 1}\ntext = "done"`].join('\n');
  const focus = await startTestFocus(db, {
    script,
    tools: [testTool('write', async ({ n }) => ({ content: String(n) }))],
  });
  let statements = 0;
  const counted: Database = {
    ...db,
    query(sql, params) {
      statements += 1;
      return db.query(sql, params);
    },
  };
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const postgres = postgresCpuMs();
  const means = focus.means({ db: counted, journal: createJournal(counted, focus.key), maxTurns: turns + 1 });
  const end = await engage({ ...means, ...hooksFor(event, isolation, counted, focus.key) });
  if (end.kind !== 'done') throw new Error(JSON.stringify(end));
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms: (performance.now() - startedMs) / turns,
    statements: statements / turns,
    node: (user + system) / 1000 / turns,
    postgres: (postgresCpuMs() - postgres) / turns,
  };
}

function hooksFor(event: Around, isolation: Isolation, on: Database, key: Parameters<typeof createHookRecords>[1]) {
  if (event === null) return {};
  if (event === 'rules') return { gates: [permissionGate(RULES)] };
  const hook: LoopHook = { name: 'hook', command, args: [], timeoutSeconds: 30, onError: 'block', tools: null };
  const quiet = () => undefined;
  const hookMeans: HookedLoop = {
    hooks: { ...NO_LOOP_HOOKS, [event]: [hook] },
    records: createHookRecords(on, key, false, new AbortController().signal),
    faculty: 'bench',
    log: { debug: quiet, info: quiet, warn: console.warn, error: console.error, child: () => hookMeans.log },
    emit: quiet,
    run: (point, { command: program, args }, facts, signal) =>
      runHookCommand(
        point,
        {
          command: program,
          args,
          cwd: directory,
          focusDirectory: directory,
          home: directory,
          owner: key.workItemId,
          workItemId: key.workItemId,
          focusId: key.focusId,
          faculty: 'bench',
          environment: {},
          timeoutMs: 30_000,
          isolation,
        },
        { event: point, work_item: {}, faculty: {}, ...facts } as unknown as HookInput[typeof point],
        processes,
        signal,
      ),
  };
  const gate = hookGate(hookMeans);
  const afterRun = hooksOnResults(hookMeans);
  const beforeRequest = hooksOnRequests({ model: 'm', tools: [] }, hookMeans);
  return { gates: gate === null ? [] : [gate], ...(afterRun && { afterRun }), ...(beforeRequest && { beforeRequest }) };
}
