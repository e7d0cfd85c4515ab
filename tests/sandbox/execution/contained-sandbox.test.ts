/** Containers that speak over HTTP: the engine and the transport are played. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ContainerEnd, ContainerSpec, HeldContainer } from '../../../src/sandbox/container-host.ts';
import type { TransportChannel } from '../../../src/sandbox/endpoint/http-transport.ts';
import { createSandbox } from '../../../src/sandbox/execution/contained-sandbox.ts';

const SPEC = { image: 'i', memoryBytes: 1, cpus: 1, owner: 'o', code: '', tools: [], timeoutMs: 1000, skills: [] };

test('a container over HTTP is on its network, knows its channel, and is spoken to over that', async () => {
  const { run, launched, over } = sandbox(async () => container());
  expect(await run()).toMatchObject({ ended: 'unavailable', problem: expect.stringContaining('over the channel') });
  expect(launched).toMatchObject([{ network: { name: 'net' }, env: { URL: 'http://e' }, owner: 'o' }]);
  expect(over).toEqual(['container', 'destroyed']);
});

test('the channel of a container that does not start is closed', async () => {
  const { run, over } = sandbox(() => Promise.reject(new Error('no image')));
  expect(await run()).toMatchObject({ ended: 'unavailable', problem: 'no image' });
  expect(over).toEqual(['closed']);
});

/** A sandbox whose containers are launched so; `over`: what happened to the channel. */
function sandbox(launch: () => Promise<HeldContainer>) {
  const launched: ContainerSpec[] = [];
  const over: string[] = [];
  const channel: TransportChannel = {
    network: { name: 'net' },
    env: { URL: 'http://e' },
    over(held) {
      over.push(held.id);
      const destroy = async () => void over.push('destroyed');
      return { ...held, ...container('said over the channel'), destroy };
    },
    close: () => void over.push('closed'),
  };
  const containers = {
    launch: (spec: ContainerSpec) => {
      launched.push(spec);
      return launch();
    },
  };
  const created = createSandbox({
    image: 'i',
    containers,
    sdkSource: () => '',
    poolSize: 0,
    maxExecutions: 1,
    http: { open: async () => channel, stop: async () => {} },
  } as never);
  const run = () => created.execute(SPEC, () => Promise.reject(new Error('unused')), new AbortController().signal);
  return { run, launched, over };
}

/** A container that has ended, and what it has said. */
function container(said = ''): HeldContainer {
  const end: ContainerEnd = { ended: 'exited', exitCode: 1, problem: null };
  const stderr = new PassThrough();
  stderr.end(said);
  const stdout = new PassThrough();
  stdout.end();
  return { id: 'container', stdin: new PassThrough(), stdout, stderr, exited: Promise.resolve(end) } as never;
}
