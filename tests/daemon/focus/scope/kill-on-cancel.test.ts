import { expect, it } from 'vitest';
import type { Clock } from '../../../../src/core/lifecycle/clock.ts';
import { type AbortReason, createFocusControl } from '../../../../src/daemon/focus/scope/focus-control.ts';
import { killOnCancel } from '../../../../src/daemon/focus/scope/kill-on-cancel.ts';
import type { ProcessHost } from '../../../../src/process/process-host.ts';

/** A clock whose sleeps end when `pass` is called, or with their signal. */
function start() {
  const control = createFocusControl();
  const killed: string[] = [];
  const processes = { killAll: async (owner: string) => void killed.push(owner) } as unknown as ProcessHost;
  const sleeps: { readonly ms: number; readonly pass: () => void }[] = [];
  const clock = {
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleeps.push({ ms, pass: resolve });
        signal?.addEventListener('abort', () => resolve());
      }),
  } as unknown as Clock;
  return { control, killed, sleeps, over: killOnCancel('w', control, processes, clock) };
}

it.each<AbortReason>(['cancelled', 'lease_lost'])('kills what is left half a second after %s', async (reason) => {
  const { control, killed, sleeps, over } = start();
  control.abort(reason);
  expect(sleeps.map(({ ms }) => ms)).toEqual([500]);
  sleeps[0]!.pass();
  await Promise.resolve();
  await over();
  expect(killed).toEqual(['w']);
});

it.each<AbortReason>(['shutdown', 'deadline'])('leaves processes their time after %s', async (reason) => {
  const { control, killed, sleeps, over } = start();
  control.abort(reason);
  await over();
  expect([sleeps, killed]).toEqual([[], []]);
});

it('kills nothing once the phases are over', async () => {
  const early = start();
  early.control.abort('cancelled');
  await early.over();
  expect(early.killed).toEqual([]);
  const late = start();
  await late.over();
  late.control.abort('cancelled');
  expect(late.sleeps).toEqual([]);
});
