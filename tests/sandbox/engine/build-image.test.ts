import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { buildImage } from '../../../src/sandbox/engine/build-image.ts';
import { openEngine } from '../../../src/sandbox/engine/open-engine.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Builds on an engine that answers with these events, and then ends or cuts the connection. */
async function buildOn(
  events: readonly object[],
  { status = 200, cut = false, signal = new AbortController().signal } = {},
) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    request.resume().on('end', () => {
      const image = (request.url ?? '').startsWith('/images/');
      response.writeHead(image ? 200 : status, { 'content-type': 'application/json' });
      if (image) return response.end(JSON.stringify({ Id: 'sha256:abc', Size: 7 }));
      response.write(events.map((event) => `${JSON.stringify(event)}\r\n`).join(''));
      return cut ? response.destroy() : response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => new Promise((closed) => server.close(closed)));
  const { port } = server.address() as AddressInfo;
  const engine = openEngine(parseEngineAddress(`tcp://127.0.0.1:${port}`)!);
  const lines: string[] = [];
  const options = { image: 'box:1', pull: true, fresh: true, signal, onProgress: (line: string) => lines.push(line) };
  const built = await buildImage(engine, options).catch((error: unknown) => error as Error & { code?: string });
  return { built, lines, requests };
}

describe('the build of the image', () => {
  it('sends the options and tells of its progress', async () => {
    const events = [
      { stream: 'Step 1/2 : FROM x\n' },
      { status: 'Downloading', id: 'f00', progress: '1MB/2MB' },
      { aux: {} },
    ];
    const { built, lines, requests } = await buildOn(events);
    expect(built).toEqual({ id: 'sha256:abc', bytes: 7 });
    expect(lines).toEqual(['Step 1/2 : FROM x', 'Downloading f00 1MB/2MB']);
    expect(requests[0]).toMatch(/^\/build\?/);
    for (const part of ['t=box%3A1', 'pull=true', 'nocache=true', 'networkmode=none'])
      expect(requests[0]).toContain(part);
  });

  it('fails with what the build printed last, and says what to do', async () => {
    const pulling = 'pull access denied for python, repository does not exist';
    const { built } = await buildOn([{ stream: 'Step 1/2 : FROM python\n' }, { error: pulling }]);
    expect(built).toMatchObject({ code: 'sandbox.build_failed' });
    expect((built as Error).message).toMatch(
      /^cannot build box:1 on the Docker engine at tcp:.*: pull access denied.*\n {2}Step 1\/2 : FROM python\nThe engine cannot get the base image\. Load python:3\.13/,
    );
    const failing = await buildOn([{ stream: 'boom\n' }, { error: 'The command returned a non-zero code: 1' }]);
    expect((failing.built as Error).message).toMatch(/non-zero code: 1\n {2}boom$/);
    expect((await buildOn([{ error: 'write /x: no space left on device' }])).built).toMatchObject({
      code: 'sandbox.no_space',
    });
  });

  it('fails when the engine breaks off, refuses, or the person ends it', async () => {
    expect((await buildOn([{ stream: 'Step 1' }], { cut: true })).built).toMatchObject({ code: 'sandbox.unreachable' });
    expect((await buildOn([{ message: 'down' }], { status: 500 })).built).toMatchObject({ code: 'sandbox.refused' });
    const signal = AbortSignal.abort(new Error('stop'));
    expect((await buildOn([], { signal })).built).toMatchObject({ message: 'stop' });
  });
});
