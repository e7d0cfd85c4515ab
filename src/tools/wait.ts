/** The timer tool: a focus that waits for a time is parked and holds no slot until then. */
import { z } from 'zod';
import { isoSeconds } from '../core/text/iso-seconds.ts';
import { waitTimes } from '../store/transcript/waits.ts';
import { someText } from './some-text.ts';
import { databaseTool, type Tool } from './tool.ts';

/** A year. */
const MAX_SECONDS = 31_536_000;

const waitUntil = databaseTool({
  name: 'wait_until',
  description:
    'Waits until a time or for some seconds, at most a year, at no cost: to look at something later, not for a command that you run. ' +
    'Give time or seconds.',
  words: { time: 'such as 2026-03-01T09:00:00Z', reason: 'what you wait for; people see it' },
  risk: 'read',
  input: z
    .strictObject({
      time: z.iso
        .datetime({ offset: true, error: 'expected an ISO 8601 time with its zone, such as 2026-03-01T09:00:00Z' })
        .optional()
        .describe('ISO 8601 with time zone, such as 2026-03-01T09:00:00Z'),
      seconds: z.number().positive().max(MAX_SECONDS).optional().describe('seconds from now'),
      reason: someText(500).describe('what you are waiting for; it is shown to people'),
    })
    .refine((given) => (given.time === undefined) !== (given.seconds === undefined), 'give either time or seconds'),
  async run({ time, seconds, reason }, _context, tx) {
    const { now, deadline } = await waitTimes(tx, time ?? null, seconds ?? 0);
    if (deadline <= now) return { content: `${isoSeconds(deadline)} is in the past: it is ${isoSeconds(now)} now` };
    if (deadline.getTime() - now.getTime() > MAX_SECONDS * 1000) {
      return {
        content: `${isoSeconds(deadline)} is more than a year away: it is ${isoSeconds(now)} now`,
        isError: true,
      };
    }
    return {
      content: `waiting until ${isoSeconds(deadline)}: ${reason}`,
      details: { until: isoSeconds(deadline), reason },
      wait: { kind: 'timer', deadline },
    };
  },
  async afterWait({ reason }, wait) {
    const late = wait.resolvedAt.getTime() - (wait.deadline?.getTime() ?? 0);
    return {
      content: `It is ${isoSeconds(wait.resolvedAt)} now; the wait is over (${reason}).`,
      details: { late_ms: late },
    };
  },
});

export const WAIT_TOOLS: readonly Tool[] = [waitUntil];
