import { describe, expect, test } from 'vitest';
import type { ContainerSpec } from '../../../src/sandbox/container-host.ts';
import { containerOptions } from '../../../src/sandbox/engine/container-options.ts';
import { containerProfile } from '../../../src/sandbox/engine/seccomp-profile.ts';

const SPEC: ContainerSpec = {
  owner: 'w',
  image: 'i',
  command: [],
  env: { A: 'b=c' },
  user: '10001:10002',
  workdir: '/work',
  limits: { memoryBytes: 1000, cpus: 0.5, pids: 7, fileBytes: 99 },
  tmpfs: [{ path: '/work', bytes: 5 }],
  mounts: [{ source: '/a', target: '/b', readOnly: true }],
  network: 'none',
};

describe('every container', () => {
  const options = containerOptions(SPEC, 'name', { 'animus.sandbox': '1' });
  const host = options.HostConfig!;

  test('has no privileges, no network, no swap, and writes to memory only', () => {
    expect(host).toMatchObject({
      AutoRemove: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${JSON.stringify(containerProfile())}`],
      IpcMode: 'private',
      Memory: 1000,
      MemorySwap: 1000,
      NanoCpus: 500_000_000,
      PidsLimit: 7,
      LogConfig: { Type: 'none' },
      Tmpfs: { '/work': 'rw,nosuid,nodev,noexec,size=5,nr_inodes=20000,mode=1777,uid=10001,gid=10002' },
    });
    expect(host.Ulimits).toContainEqual({ Name: 'fsize', Soft: 99, Hard: 99 });
    expect(host.Mounts).toEqual([
      { Type: 'bind', Source: '/a', Target: '/b', ReadOnly: true, BindOptions: { Propagation: 'rprivate' } },
    ]);
  });

  test('gets the environment and command of its specification, and an input that ends with the attachment', () => {
    expect(options).toMatchObject({
      Env: ['A=b=c'],
      User: '10001:10002',
      OpenStdin: true,
      StdinOnce: true,
      Tty: false,
    });
    expect(options).not.toHaveProperty('Cmd');
    expect(containerOptions({ ...SPEC, command: ['cat'] }, 'n', {})).toMatchObject({ Cmd: ['cat'], Entrypoint: [] });
  });

  test.each(['0', '0:0', '00', 'root', 'root:10001', '', ':5'])('never runs as root: user %j', (user) => {
    expect(() => containerOptions({ ...SPEC, user }, 'n', {})).toThrow('may not run as root');
  });
});
