/** The MCP server of one focus: started at the first call, started again after it has ended, and stopped with the focus. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';
import { refusedAt, type ToolContext, type ToolOutput, toolError, usableMs } from '../tool.ts';
import { pinProblem } from './list-tools.ts';
import type { McpSettings } from './mcp-settings.ts';
import { outputOf } from './result-text.ts';
import { type CallEnd, type NoSession, openSession, type Session } from './session.ts';

/** The connection of a focus to one server. */
export interface Connection {
  /** Calls a pinned tool. Rejects when the signal aborts, and with `process.interrupted` if the host cannot start processes. */
  call(pin: McpPin, input: unknown, context: ToolContext): Promise<ToolOutput>;
  close(): Promise<void>;
}

/** A server that ends again and again is not started more often than this for one focus. A connection to a URL starts nothing. */
const MAX_STARTS = 4;
const MAX_CONNECTIONS = 20;
/** Before the second start; doubled for each further one. */
const BACK_OFF_MS = 250;
const MAX_BACK_OFF_MS = 5000;
/** Kept of a call's time-out, so that its end can be reported. */
const ENDING_MS = 3000;

/** Nothing is started before the first call. */
export function createConnection(server: McpServer, settings: McpSettings): Connection {
  const closing = new AbortController();
  let opening: Promise<Session | NoSession> | null = null;
  let session: Session | null = null;
  let starts = 0;
  let lastEnd = '';
  const maxStarts = server.url === null ? MAX_STARTS : MAX_CONNECTIONS;

  /** Calls that come at the same time share one start. */
  async function connected(context: ToolContext): Promise<Session | NoSession> {
    if (session !== null && session.ended() === null) return session;
    if (session !== null) lastEnd = session.mask(session.ended()!);
    session = null;
    opening ??= start(context).finally(() => {
      opening = null;
    });
    const opened = await opening;
    if (!('problem' in opened)) session = opened;
    else lastEnd = opened.problem;
    return opened;
  }

  async function start(context: ToolContext): Promise<Session | NoSession> {
    if (starts >= maxStarts) {
      return {
        problem: `it ended ${maxStarts} times, and is not started again (the last time: ${lastEnd})`,
        host: false,
      };
    }
    if (starts > 0) {
      settings.log.warn({ ...fieldsOf(context), reason: lastEnd }, 'an MCP server has ended and is started again');
      await sleep(Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** (starts - 1)), undefined, { signal: closing.signal });
    }
    starts++;
    const timeoutMs = Math.min(server.startTimeoutSeconds * 1000, boundOf(context));
    const opened = await openSession(server, context, settings, timeoutMs, closing.signal);
    if ('problem' in opened) {
      settings.log.warn({ ...fieldsOf(context), reason: opened.problem }, 'an MCP server could not be started');
    }
    return opened;
  }

  function fieldsOf({ faculty, workItemId }: ToolContext): Record<string, unknown> {
    return { 'work.id': workItemId, faculty, server: server.name };
  }

  async function callOnce(pin: McpPin, input: unknown, context: ToolContext, timeoutMs: number): Promise<CallEnd> {
    const opened = await connected(context);
    context.signal.throwIfAborted();
    if ('problem' in opened) {
      if (opened.host) throw new AnimusError('process.interrupted', { command: server.name, detail: opened.problem });
      return { kind: 'refused', why: `the MCP server ${server.name} cannot be used: ${opened.problem}` };
    }
    const problem = pinProblem(pin, await opened.tools(context.signal));
    if (problem !== pin.problem) void settings.report(context.faculty, pin, problem);
    if (problem !== null) {
      settings.log.warn({ ...fieldsOf(context), tool: pin.name, problem }, 'a call of an MCP tool was refused');
      return { kind: 'refused', why: refusal(problem), boundary: 'pin' };
    }
    const end = await opened.call(pin.name, input, timeoutMs, context.signal);
    return end.kind === 'cut_off' ? { ...end, why: `the MCP server ${server.name}: ${end.why}` } : end;
  }

  return {
    async call(pin, input, context) {
      const until = performance.now() + boundOf(context);
      const left = (): number => Math.max(0, until - performance.now());
      const repeatable = server.idempotent.includes(pin.name);
      let end = await callOnce(pin, input, context, left());
      const again = end.kind === 'lost' || (end.kind === 'cut_off' && repeatable);
      if (again && left() > ENDING_MS) end = await callOnce(pin, input, context, left());
      const details = { server: server.name, tool: pin.name };
      switch (end.kind) {
        case 'result': {
          const output = outputOf(end.result, session?.mask ?? ((text) => text), context.codeBytes);
          return { ...output, details: { ...details, ...output.details } };
        }
        case 'refused':
          return end.boundary ? refusedAt(end.boundary, end.why, details) : toolError(end.why, details);
        case 'lost':
          return toolError(end.why, details);
        case 'cut_off':
          return repeatable
            ? toolError(`${end.why}. You may call it again`, details)
            : { ...toolError(`${end.why}. ${IN_DOUBT}`, details), inDoubt: true };
        default:
          return end satisfies never;
      }
    },
    async close() {
      closing.abort(new Error('the focus is over'));
      await opening?.catch(() => {});
      await session?.close();
    },
  };
}

const IN_DOUBT = 'The call may or may not have happened; check before you repeat it.';

function refusal(problem: string): string {
  return `refused: ${problem}. A person has to look at it and pin it again (animus faculty check --pin). Do without this tool.`;
}

function boundOf(context: ToolContext): number {
  return Math.round(usableMs(context, ENDING_MS));
}
