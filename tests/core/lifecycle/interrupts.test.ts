import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';

describe('signals', () => {
  test('drain first, then abort, then exit', () => {
    const { interrupts, pass } = given();
    expect(interrupts.exitCode()).toBeNull();
    expect(interrupts.receive('SIGTERM')).toBe('drain');
    expect([interrupts.drain.aborted, interrupts.abort.aborted]).toEqual([true, false]);
    pass(1000);
    expect(interrupts.receive('SIGTERM')).toBe('abort');
    expect(interrupts.abort.aborted).toBe(true);
    pass(1000);
    expect(interrupts.receive('SIGINT')).toBe('give up');
    expect(interrupts.exitCode()).toBe(143);
  });

  test('have no effect on a command that ends after the first one; the second one does', () => {
    const { interrupts } = given();
    interrupts.receive('SIGTERM');
    interrupts.endedAsAsked();
    expect(interrupts.exitCode()).toBeNull();
    const aborted = given().interrupts;
    aborted.receive('SIGINT');
    aborted.receive('SIGTERM');
    aborted.endedAsAsked();
    expect(aborted.exitCode()).toBe(130);
  });

  test('of one press of Ctrl-C count once, though terminal and npm both send it', () => {
    const { interrupts, pass } = given();
    interrupts.receive('SIGINT');
    pass(100);
    expect(interrupts.receive('SIGINT')).toBe('same');
    expect(interrupts.abort.aborted).toBe(false);
    pass(300);
    expect(interrupts.receive('SIGINT')).toBe('abort');
    expect(interrupts.exitCode()).toBe(130);
  });

  test('that are left to a program in the terminal: SIGINT is ignored, SIGTERM still ends', () => {
    const { interrupts, pass } = given();
    interrupts.passInterrupts();
    for (let press = 0; press < 4; press++) {
      pass(1000);
      expect(interrupts.receive('SIGINT')).toBe('same');
    }
    expect(interrupts.exitCode()).toBeNull();
    expect(interrupts.receive('SIGTERM')).toBe('drain');
  });

  test('of two kinds count as two, however close', () => {
    const { interrupts } = given();
    interrupts.receive('SIGINT');
    expect(interrupts.receive('SIGTERM')).toBe('abort');
  });
});

function given() {
  let now = 5;
  const clock: Pick<Clock, 'monotonicMs'> = { monotonicMs: () => now };
  return { interrupts: createInterrupts(clock as Clock), pass: (ms: number) => (now += ms) };
}
