/** Runs the command of a phase, or of an event of the loop: one JSON object on stdin, at most one on stdout; the exit code decides. */
import { constants } from 'node:os';
import { AnimusError } from '../../core/errors/errors.ts';
import { isSecretKey, MASK } from '../../core/secrets/secrets.ts';
import type { FileRule } from '../../process/file-rules.ts';
import type { Isolation, ProcessHost, ProcessOwner, ProcessResult } from '../../process/process-host.ts';
import {
  type HookInput,
  type HookLedger,
  type HookOutput,
  type HookPoint,
  isEvent,
  parseBlockedOutput,
  parseHookOutput,
} from './hook-output.ts';

/** A hook and where it runs. */
export interface HookCall {
  /** Absolute path, or a name found on PATH; the caller resolves relative paths. */
  readonly command: string;
  readonly args: readonly string[];
  /** Its working directory: the workspace. */
  readonly cwd: string;
  /** ANIMUS_FOCUS_DIR. */
  readonly focusDirectory: string;
  /** HOME. */
  readonly home: string;
  readonly owner: ProcessOwner;
  readonly workItemId: string;
  readonly focusId: string;
  readonly faculty: string;
  /** W3C trace context of the phase's span, if any. */
  readonly traceparent?: string;
  /**
   * The variables of the operator's allow-list with their values, read by the caller; they cannot override those that
   * animus sets.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** True: errors do not repeat what it printed, which may contain what it is to remove. Default false. */
  readonly quiet?: boolean;
  readonly isolation: Isolation;
  readonly fileRules?: readonly FileRule[];
}

/** The result of a hook; the error of `failed` is one of hook.failed, hook.timeout and hook.output. */
export type HookResult<P extends HookPoint> =
  | { readonly kind: 'proceed'; readonly stderr: string }
  | { readonly kind: 'output'; readonly output: HookOutput[P]; readonly stderr: string }
  | {
      readonly kind: 'blocked';
      readonly reason: string;
      readonly error: AnimusError;
      /** The ledger entries it printed in addition to its reason. */
      readonly ledger: HookLedger;
    }
  | { readonly kind: 'failed'; readonly error: AnimusError }
  | { readonly kind: 'aborted'; readonly reason: string };

const EXIT_BLOCK = 2;
/** The limit of stdout and of stderr, 1 MiB each. A hook that prints more fails. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 2000;

/**
 * Runs a hook to its end; never rejects for what the hook does. Nothing that it started is alive afterwards. Errors:
 * `process.interrupted` when the hook is not to blame, for example when its supervisor died.
 */
export async function runHookCommand<P extends HookPoint>(
  point: P,
  call: HookCall,
  input: HookInput[P],
  processes: ProcessHost,
  signal: AbortSignal,
): Promise<HookResult<P>> {
  const result = await processes.run(
    {
      owner: call.owner,
      command: call.command,
      args: call.args,
      cwd: call.cwd,
      env: environmentOf(point, call),
      stdin: `${JSON.stringify(input)}\n`,
      timeoutMs: call.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: call.isolation,
      ...(call.fileRules && { fileRules: call.fileRules }),
    },
    signal,
  );
  return judge(point, call, result);
}

function judge<P extends HookPoint>(point: P, call: HookCall, result: ProcessResult): HookResult<P> {
  const { command } = call;
  const said = tailOf(withoutSecrets(result.stderr.text, call.environment));
  const stderr = call.quiet ? '' : said;
  const failed = (detail: string): HookResult<P> => {
    return { kind: 'failed', error: new AnimusError('hook.failed', { command, detail: withStderr(detail, stderr) }) };
  };
  switch (result.ended) {
    case 'aborted':
      return { kind: 'aborted', reason: result.problem ?? 'aborted' };
    case 'timeout': {
      const seconds = String(call.timeoutMs / 1000);
      return {
        kind: 'failed',
        error: new AnimusError('hook.timeout', { command, seconds, stderr: withStderr('', stderr) }),
      };
    }
    case 'limit':
      return failed(`it was stopped: ${result.problem}`);
    case 'interrupted':
    case 'unavailable':
      throw new AnimusError('process.interrupted', { command, detail: result.problem });
    case 'not_started':
      return failed(`it could not be started: ${result.problem}`);
    case 'signal':
      return failed(`it was killed by ${result.signal}`);
    case 'exit':
      break;
    default:
      return result.ended satisfies never;
  }
  if (result.exitCode === EXIT_BLOCK) {
    const printed = result.stdout.truncated ? { problem: 'it is too long' } : parseBlockedOutput(result.stdout.text);
    const unread = 'problem' in printed ? `; what it printed for the ledger cannot be read: ${printed.problem}` : '';
    const reason = (said || 'no reason given on stderr') + (call.quiet && unread !== '' ? UNREAD : unread);
    const ledger = 'problem' in printed ? [] : printed.ledger;
    return { kind: 'blocked', reason, error: new AnimusError('hook.blocked', { command, reason }), ledger };
  }
  if (result.exitCode !== 0) return failed(exitOf(result.exitCode));

  const parsed = result.stdout.truncated
    ? { problem: `${result.stdout.bytes} bytes; the limit is ${MAX_OUTPUT_BYTES}` }
    : parseHookOutput(point, result.stdout.text);
  if ('problem' in parsed) {
    const detail = call.quiet ? WRONG : withStderr(parsed.problem, stderr);
    return { kind: 'failed', error: new AnimusError('hook.output', { command, detail }) };
  }
  return parsed.output === null ? { kind: 'proceed', stderr } : { kind: 'output', output: parsed.output, stderr };
}

/** Instead of what a quiet hook printed. */
const WRONG = 'what it printed is not shown, because it may contain what the hook removes';
const UNREAD = '; what it printed for the ledger cannot be read';

/** In a namespace, as in any shell, death by signal N is reported as exit code 128 + N. */
function exitOf(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  return signal === undefined ? `exit code ${code}` : `exit code ${code}, as after ${signal}`;
}

function environmentOf(point: HookPoint, call: HookCall): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: call.home,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    ...call.environment,
    ANIMUS_WORK_ID: call.workItemId,
    ANIMUS_FOCUS_ID: call.focusId,
    ANIMUS_FACULTY: call.faculty,
    ANIMUS_PHASE: isEvent(point) ? 'engage' : point,
    ...(isEvent(point) && { ANIMUS_EVENT: point }),
    ANIMUS_FOCUS_DIR: call.focusDirectory,
    ...(call.traceparent !== undefined && { TRACEPARENT: call.traceparent }),
  };
}

/** A hook that traces its commands prints its environment, so the values of variables with such names are redacted. */
function withoutSecrets(text: string, environment: HookCall['environment']): string {
  const secrets = Object.entries(environment).filter(([name, value]) => isSecretVariable(name) && value.length >= 6);
  return secrets.reduce((masked, [, value]) => masked.replaceAll(value, MASK), text);
}

function isSecretVariable(name: string): boolean {
  return isSecretKey(name) || /token|key$/i.test(name);
}

/** The end of the log: there a program reports why it failed. */
function tailOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MAX_REASON_CHARS ? trimmed : `…${trimmed.slice(-MAX_REASON_CHARS).toWellFormed()}`;
}

function withStderr(detail: string, stderr: string): string {
  return stderr === '' ? detail : `${detail}; stderr: ${stderr}`;
}
