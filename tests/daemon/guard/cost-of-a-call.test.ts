/** Counts what a tool call asks of the system and of the database, with a small configuration and with a large one. */
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { countSystemCalls } from '../../support/system-calls.ts';

const target = testDatabase();
const FEW = 3;
const MANY = 9;

test('a call costs as many system calls and statements with 300 faculties, rules and skills as with one', async () => {
  const one = await costOf(1);
  const many = await costOf(300);

  expect(many).toEqual(one);
  expect(one.statements.length).toBeGreaterThan(0);
  // Secrets are looked at for each call.
  expect(one.systemCalls).toMatchObject({ fstatSync: expect.any(Number), statSync: expect.any(Number) });
}, 120_000);

/** What six calls of `write_file` cost: the difference between work with nine of them and work with three. */
async function costOf(size: number) {
  const proxy = await startPostgresProxy(target.connectionString);
  const names = Array.from({ length: size }, (_, index) => `other_${index}`);
  const daemon = await startTestDaemon({
    databaseUrl: proxy.url,
    clock: SLOW,
    skills: true,
    script: '[[answer]]\ntext = "done"\n',
    config: `${provider('few')}${provider('many')}`,
    files: {
      'few.toml': script(FEW),
      'many.toml': script(MANY),
      'faculties/few.toml': faculty('few', size),
      'faculties/many.toml': faculty('many', size),
      ...Object.fromEntries(names.flatMap(files)),
    },
  });
  const counts = countSystemCalls();
  let statements: string[] = [];
  proxy.watchStatements((sql) => {
    statements.push(/animus\.\w+/.exec(sql)?.[0] ?? sql);
    return 'pass';
  });
  const costs = [];
  // The first ones load modules and prepare statements.
  for (const name of ['many', 'few', 'few', 'many']) {
    statements = [];
    counts.clear();
    await work(name, daemon);
    costs.push({ statements: tally(statements), systemCalls: new Map(counts) });
  }
  await daemon.stop();
  const [, , few, many] = costs;
  return {
    statements: difference(many!.statements, few!.statements),
    systemCalls: Object.fromEntries(difference(many!.systemCalls, few!.systemCalls)),
  };
}

const SLOWER = 1000;

/** Time passes a thousand times slower: no timer of the daemon runs between the calls, and what is resolved once in a while is not resolved again. */
const SLOW: Clock = {
  ...systemClock,
  monotonicMs: () => performance.now() / SLOWER,
  sleep: (ms, signal) => systemClock.sleep(ms < 1000 ? ms : 2 ** 31 - 1, signal),
};

async function work(faculty: string, { lines }: Pick<TestDaemon, 'lines'>): Promise<void> {
  const insert = 'insert into animus.work_items (faculty) values ($1) returning id';
  const [item] = await target.database.query<{ id: string }>(insert, [faculty]);
  await eventually(`the work of ${faculty} is done\n${lines.join('\n')}`, async () => {
    const [row] = await target.database.query('select 1 from animus.work_items where id = $1 and state = $2', [
      item!.id,
      'completed',
    ]);
    return row ?? null;
  });
}

function provider(name: string): string {
  return `[providers.${name}]\nkind = "scripted"\nscript = "${name}.toml"\n`;
}

function script(calls: number): string {
  const call = '[[answer]]\n[[answer.call]]\ntool = "write_file"\ninput = { path = "notes.md", content = "x" }\n';
  return `${call.repeat(calls)}[[answer]]\ntext = "done"\n`;
}

function faculty(model: string, rules = 0): string {
  const permissions = Array.from({ length: rules }, (_, index) => `"write_file(path=forbidden/${index})" = "forbid"\n`);
  return `[faculty]\nname = "${model}"\n[faculty.engage]\nmodel = "${model}/x"\nsystem_prompt = "p"
    tools = ["write_file"]\n[faculty.permissions]\n${permissions.join('')}[faculty.skills]\n`;
}

/** A faculty with a hook and a place of its own, and a skill. */
function files(name: string): [string, string][] {
  const hook = `[faculty.orient]\ncommand = "../hooks/${name}/orient.sh"\n`;
  const own = faculty('few').replace('name = "few"', `name = "${name}"\nworkspace = "../places/${name}"`);
  return [
    [`places/${name}/README.md`, name],
    [`hooks/${name}/orient.sh`, '#!/bin/sh\n'],
    [`faculties/${name}.toml`, `${own}${hook}`],
    [
      `skills/${name.replace('_', '-')}/SKILL.md`,
      `---\nname: ${name.replace('_', '-')}\ndescription: Notes.\n---\nWrite.\n`,
    ],
  ];
}

function tally(names: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

function difference(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): [string, number][] {
  const left = [...a].map(([name, count]): [string, number] => [name, count - (b.get(name) ?? 0)]);
  return left.filter(([, count]) => count !== 0).toSorted();
}
