/** Promise: each setting that a reload changes is used as it is now, everywhere; whoever keeps a configuration from the start cannot read one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod';
import type { Config, FixedConfig } from '../../../src/core/config/config.ts';
import { liveSettings, sectionsOf, valueIn, withLiveSettings } from '../../../src/core/config/live-settings.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { SECTIONS, schemaOf } from '../../../src/core/config/sections/sections.ts';
import { defaultOf, fieldAt } from '../../../src/core/toml/fields.ts';
import { camelCase, snakeCase } from '../../../src/core/toml/keys.ts';
import { loadSections } from '../../../src/features/features.ts';

const OTHERS = await loadSections();
const LIVE = liveSettings([...SECTIONS, ...OTHERS]);

/** The files of a daemon that name the setting: each gets it anew at each use. One that is not here has to be looked at first. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  'daemon.max_concurrent': ['services.ts'],
  'daemon.shutdown_grace_seconds': ['daemon.ts', 'services.ts'],
  'daemon.focus_host_grace_seconds': ['control/control-plane.ts', 'presence/served-faculties.ts', 'services.ts'],
  // A focus that runs keeps the limits with which it began.
  'daemon.focus_max_memory_mib': ['focus/run-focus.ts', 'focus/scope/bash-container.ts'],
  'daemon.focus_max_processes': ['focus/run-focus.ts', 'focus/scope/bash-container.ts'],
  'daemon.commit_email': ['foci.ts', 'focus/scope/focus-scope.ts', 'focus/scope/focus-worktree.ts'],
  'retention.resolved_days': ['timers/janitor.ts'],
  'retention.pack_days': ['timers/janitor.ts'],
  'retention.artifacts_days': ['timers/janitor.ts'],
  'retention.worktree_days': ['kept/tend-worktrees.ts'],
  'retention.held_worktree_days': ['kept/tend-worktrees.ts'],
  // The daemon itself sweeps once, when it starts.
  'retention.directories_days': ['daemon.ts', 'focus/run-focus.ts', 'timers/janitor.ts'],
  'skills.propose': ['timers/recurring-findings.ts'],
  'skills.propose_threshold': ['findings/propose-skills.ts'],
  'skills.propose_window_days': ['findings/propose-skills.ts'],
  'skills.propose_interval_seconds': ['findings/propose-skills.ts', 'timers/recurring-findings.ts'],
  'web.allow': ['daemon-tools.ts', 'focus/scope/bash-container.ts'],
  'webhooks.allow': ['features/webhooks/service.ts'],
  budget: ['models/budget-problems.ts', 'services.ts'],
};

describe('the users of a live setting', () => {
  const src = join(import.meta.dirname, '../../../src');
  const files = ['daemon', 'features']
    .flatMap((room) =>
      readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
    )
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: file.replace(/^daemon\//, ''), text: readFileSync(join(src, file), 'utf8') }));

  test('are known for each', () => {
    expect(Object.keys(USERS).toSorted()).toEqual(LIVE.toSorted());
  });

  test.each(LIVE)('%s', (setting) => {
    expect(
      files
        .filter(({ text }) => reads(text, setting))
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual(USERS[setting]);
  });
});

/** Where the name alone would find others, too. */
const NAMED_BY: Readonly<Record<string, RegExp>> = {
  'daemon.max_concurrent': /daemon\.maxConcurrent\b/,
  'skills.propose': /current\.propose\b/,
  'web.allow': /(?<!`)\bweb(?:\(\))?\.allow\b/,
  'webhooks.allow': /own\(\)\.allow\b/,
  budget: /(?:\(\)|config)\.budget\b/,
};

function reads(text: string, setting: string): boolean {
  const name = camelCase(setting.split('.')[1] ?? '');
  return (NAMED_BY[setting] ?? new RegExp(`\\b${name}\\b`)).test(text);
}

function read(text: string): Config {
  const readSecretFile = () => ({ ok: false, detail: 'no such file' }) as const;
  const toml = { path: '/site/animus.toml', text };
  return readConfig({ env: {}, toml, userHome: '/home/ada', cwd: '/site', readSecretFile }, OTHERS);
}

/** How a setting is written to be another than its default. */
function otherValue(setting: string): string {
  const field = fieldAt(schemaOf([...SECTIONS, ...OTHERS]), setting.split('.'))!;
  const usual = defaultOf(field);
  const values = [9, 99, typeof usual !== 'boolean' || !usual, 'a@b.example', ['localhost']];
  const fits = values.find(
    (value) => safeParse(field, value).success && JSON.stringify(value) !== JSON.stringify(usual),
  );
  return JSON.stringify(fits);
}

describe('after a reload', () => {
  const written = (setting: string) => {
    const [table, key] = setting.split('.');
    return key === undefined ? '[budget]\nmax_usd_per_day = 9\n' : `[${table}]\n${key} = ${otherValue(setting)}\n`;
  };

  test.each(LIVE)('%s is that of the file, when it is set and when it is taken out', (setting) => {
    const [plain, changed] = [read(''), read(written(setting))];
    expect(valueOf(changed, setting)).not.toEqual(valueOf(plain, setting));
    const set = withLiveSettings(plain, changed);
    expect(valueOf(set, setting)).toEqual(valueOf(changed, setting));
    const out = withLiveSettings(changed, plain);
    expect(valueOf(out, setting)).toEqual(valueOf(plain, setting));
    // What is said of it names the line that is there.
    const key = setting === 'budget' ? 'budget.max_usd_per_day' : setting;
    expect(set.origins.get(key)).toMatch(/animus\.toml:2$/);
    expect(out.origins.get(key) ?? 'default').toBe('default');
  });

  test('code that keeps a configuration from the start cannot read them', () => {
    const fixed: FixedConfig = read('');
    expect(fixed.daemon.leaseSeconds).toBe(60);
    expect(fixed.skills.staleDays).toBe(30);
    // @ts-expect-error it is live
    expect(fixed.daemon.maxConcurrent).toBe(4);
    // @ts-expect-error it is live
    expect(fixed.web.allow).toEqual([]);
    // @ts-expect-error all of it is live
    expect(fixed.retention.resolvedDays).toBe(90);
    // @ts-expect-error all of it is live
    expect(fixed.budget.limits).toEqual([]);
  });

  test('all others are those of the start', () => {
    const start = read(
      '[daemon]\nlease_seconds = 90\n[skills]\nstale_days = 3\n[web.search]\nkind = "searxng"\nurl = "http://one/"\n',
    );
    const next = read('[daemon]\nmax_concurrent = 9\n[skills]\npropose = false\n[providers.x]\nkind = "openai"\n');
    const holds = withLiveSettings(start, next);
    expect(holds).toMatchObject({
      daemon: { leaseSeconds: 90, maxConcurrent: 9 },
      skills: { staleDays: 3, propose: false },
      web: { search: { url: 'http://one' } },
    });
    expect(holds.providers.has('x')).toBe(false);
    expect(holds.origins.get('daemon.lease_seconds')).toMatch(/:2$/);
  });
});

function valueOf(config: Config, setting: string): unknown {
  const [table = '', key] = setting.split('.');
  const found = valueIn(config, sectionsOf(config).find(({ name }) => name === table)!);
  if (key === undefined) return found;
  const entry = Object.entries(found as object).find(([name]) => snakeCase(name) === key);
  return entry?.[1];
}
