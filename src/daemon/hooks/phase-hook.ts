/** Runs the command of a phase: one JSON object in, at most one out, the exit code decides. */
import { constants } from 'node:os';
import { AnimusError } from '../../core/errors/errors.ts';
import { isSecretKey, MASK } from '../../core/secrets/secrets.ts';
import type { FileRule } from '../../process/file-rules.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation, ProcessHost, ProcessOwner, ProcessResult } from '../../process/process-host.ts';
import {
  type HookInput,
  type HookLedger,
  type HookOutput,
  type HookPhase,
  parseBlockedOutput,
  parseHookOutput,
} from './hook-output.ts';

/** A hook and where it runs. */
export interface HookCall {
  /** Absolute path, or a name to be found on PATH; relative paths are resolved by the caller. */
  readonly command: string;
  readonly args: readonly string[];
  /** Where it starts: the workspace. */
  readonly cwd: string;
  /** ANIMUS_FOCUS_DIR. */
  readonly focusDirectory: string;
  readonly owner: ProcessOwner;
  readonly workItemId: string;
  readonly focusId: string;
  readonly faculty: string;
  /** W3C trace context of the phase's span, where there is one. */
  readonly traceparent?: string;
  /** The operator's allow-list with its values, read by the caller; it cannot override what animus sets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isolation: Isolation;
  readonly fileRules?: readonly FileRule[];
}

/** What a hook came to; the error of `failed` is one of hook.failed, hook.timeout and hook.output. */
export type HookResult<P extends HookPhase> =
  | { readonly kind: 'proceed'; readonly stderr: string }
  | { readonly kind: 'output'; readonly output: HookOutput[P]; readonly stderr: string }
  | {
      readonly kind: 'blocked';
      readonly reason: string;
      readonly error: AnimusError;
      /** What it printed for the ledger beside its reason. */
      readonly ledger: HookLedger;
    }
  | { readonly kind: 'failed'; readonly error: AnimusError }
  | { readonly kind: 'aborted'; readonly reason: string };

const EXIT_BLOCK = 2;
/** Of output and of log each: 1 MiB. A hook that prints more has failed. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 2000;

/**
 * Runs a hook to its end; never rejects for what the hook does. Nothing that it started is alive afterwards. Errors:
 * `process.interrupted` for what is not the hook's doing, such as the death of its supervisor.
 */
export async function runPhaseHook<P extends HookPhase>(
  phase: P,
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
      env: environmentOf(phase, call),
      stdin: `${JSON.stringify(input)}\n`,
      timeoutMs: call.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: call.isolation,
      ...(call.fileRules && { fileRules: call.fileRules }),
    },
    signal,
  );
  return judge(phase, call, result);
}

function judge<P extends HookPhase>(phase: P, call: HookCall, result: ProcessResult): HookResult<P> {
  const { command } = call;
  const stderr = tailOf(withoutSecrets(result.stderr.text, call.environment));
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
    const reason = (stderr || 'no reason given on stderr') + unread;
    const ledger = 'problem' in printed ? [] : printed.ledger;
    return { kind: 'blocked', reason, error: new AnimusError('hook.blocked', { command, reason }), ledger };
  }
  if (result.exitCode !== 0) return failed(exitOf(result.exitCode));

  const parsed = result.stdout.truncated
    ? { problem: `${result.stdout.bytes} bytes; the limit is ${MAX_OUTPUT_BYTES}` }
    : parseHookOutput(phase, result.stdout.text);
  if ('problem' in parsed) {
    const detail = withStderr(parsed.problem, stderr);
    return { kind: 'failed', error: new AnimusError('hook.output', { command, detail }) };
  }
  return parsed.output === null ? { kind: 'proceed', stderr } : { kind: 'output', output: parsed.output, stderr };
}

/** Within a namespace, and by any shell, the death of a signal is told as 128 and its number. */
function exitOf(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  return signal === undefined ? `exit code ${code}` : `exit code ${code}, as after ${signal}`;
}

function environmentOf(phase: HookPhase, call: HookCall): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    // The home of the daemon's user is closed to another one.
    HOME: (runsAsOwner(call.isolation) ? undefined : process.env['HOME']) ?? call.focusDirectory,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    ...call.environment,
    ANIMUS_WORK_ID: call.workItemId,
    ANIMUS_FOCUS_ID: call.focusId,
    ANIMUS_FACULTY: call.faculty,
    ANIMUS_PHASE: phase,
    ANIMUS_FOCUS_DIR: call.focusDirectory,
    ...(call.traceparent !== undefined && { TRACEPARENT: call.traceparent }),
  };
}

/** A hook that traces its commands shows what it was given; the values of variables with such names are nobody's else to read. */
function withoutSecrets(text: string, environment: HookCall['environment']): string {
  const secrets = Object.entries(environment).filter(([name, value]) => isSecretVariable(name) && value.length >= 6);
  return secrets.reduce((masked, [, value]) => masked.replaceAll(value, MASK), text);
}

function isSecretVariable(name: string): boolean {
  return isSecretKey(name) || /token|key$/i.test(name);
}

/** The end of what was logged: where a program says why it gave up. */
function tailOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MAX_REASON_CHARS ? trimmed : `…${trimmed.slice(-MAX_REASON_CHARS).toWellFormed()}`;
}

function withStderr(detail: string, stderr: string): string {
  return stderr === '' ? detail : `${detail}; stderr: ${stderr}`;
}
