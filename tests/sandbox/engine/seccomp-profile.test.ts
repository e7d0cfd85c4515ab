import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applianceProfile, containerProfile } from '../../../src/sandbox/engine/seccomp-profile.ts';

test('the profile of the appliance is what `npm run seccomp` writes', () => {
  const file = readFileSync(new URL('../../../docker/animus/seccomp.json', import.meta.url), 'utf8');
  expect(JSON.parse(file)).toEqual(applianceProfile());
});

describe.each([
  ['containers', containerProfile()],
  ['the appliance', applianceProfile()],
])('the profile of %s', (_, profile) => {
  const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
  const names = allowed.flatMap((rule) => rule.names);

  test('refuses what it does not name, and programs of other architectures', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    expect(profile.archMap.flatMap(({ subArchitectures }) => subArchitectures)).toEqual([]);
    const forbidden = [
      'socketcall',
      'io_uring_setup',
      'bpf',
      'keyctl',
      'userfaultfd',
      'perf_event_open',
      'init_module',
      'kexec_load',
      'open_by_handle_at',
    ];
    for (const name of forbidden) expect(names).not.toContain(name);
  });

  test('names an ordinary call once', () => {
    const plain = allowed.filter(({ args }) => args === undefined).flatMap((rule) => rule.names);
    expect(plain.filter((name, index) => plain.indexOf(name) !== index)).toEqual([]);
    // A rule without arguments would put those with arguments out of force.
    for (const rule of allowed) if (rule.args) for (const name of rule.names) expect(plain).not.toContain(name);
  });

  test('sockets are created for three families and for routes', () => {
    const families = allowed.flatMap(({ names: of, args }) =>
      of.includes('socket') ? [args?.find(({ index }) => index === 0)] : [],
    );
    expect(families.every((family) => family?.op === 'SCMP_CMP_EQ')).toBe(true);
    expect([...new Set(families.map((family) => family?.value))].sort((a, b) => a! - b!)).toEqual([1, 2, 10, 16]);
  });
});
