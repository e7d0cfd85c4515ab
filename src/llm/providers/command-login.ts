import type { Clock } from '../../core/lifecycle/clock.ts';
import { maskSecrets } from '../../core/secrets/secrets.ts';
import type { ProcessHost, ProcessResult } from '../../process/process-host.ts';
import { type Login, secretsOf } from '../transport/login.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { type PrintedCredential, readCredential } from './read-credential.ts';

/** A command that prints a credential. */
export interface CommandSettings {
  /** A program, found in PATH or from `directory`, and its arguments. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly directory: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How long an output is used that names no expiry. */
  readonly refreshMs: number;
  readonly timeoutMs: number;
}

/** How long before its expiry a credential is renewed. One with a shorter life is renewed after 9/10 of it. */
const MARGIN_MS = 120_000;
/** One that is refused within this time is not renewed: a new one would be refused as well. */
const FRESH_MS = 30_000;
const MAX_OUTPUT_BYTES = 128 * 1024;

interface Held extends PrintedCredential {
  readonly since: number;
  readonly renewAtMs: number;
}

/**
 * A login whose credential a command prints. The command runs at the first call and when the credential is about to expire
 * or was refused, once at a time; calls wait for it. If it fails while the old credential is still valid, the old one is used. Its
 * output never appears in a message, but the last line of its stderr does.
 */
export function commandLogin(settings: CommandSettings, processes: Pick<ProcessHost, 'run'>, clock: Clock): Login {
  let held: Held | null = null;
  let before: Held | null = null;
  let secrets: readonly string[] = [];
  let running: Promise<Held | Fault> | null = null;

  const take = async (): Promise<Held | Fault> => {
    const printed = await runCommand(settings, processes, clock);
    if ('type' in printed) return printed;
    // One that was refused is there already.
    before = held ?? before;
    held = { ...printed, since: clock.nowMs(), renewAtMs: renewAt(printed, clock.nowMs(), settings.refreshMs) };
    // The previous one may still be quoted in the answer to a call that was made with it.
    secrets = [held, before].flatMap((each) => (each ? secretsOf(each.credential) : []));
    return held;
  };
  return {
    async current(signal) {
      if (held !== null && clock.nowMs() < held.renewAtMs) return held.credential;
      running ??= take().finally(() => {
        running = null;
      });
      const taken = await unlessAborted(running, signal);
      if ('credential' in taken) return taken.credential;
      const lasts = held?.expiresAtMs != null && clock.nowMs() < held.expiresAtMs;
      return lasts && held ? held.credential : taken;
    },
    refused(credential) {
      // Another call was refused before this one: a new credential exists, or is being fetched.
      if (held?.credential !== credential) return held !== null || running !== null;
      if (clock.nowMs() - held.since < FRESH_MS) return false;
      before = held;
      held = null;
      return true;
    },
    secrets: () => secrets,
  };
}

function renewAt({ expiresAtMs }: PrintedCredential, nowMs: number, refreshMs: number): number {
  if (expiresAtMs === null) return nowMs + refreshMs;
  return expiresAtMs - Math.min(MARGIN_MS, (expiresAtMs - nowMs) / 10);
}

async function runCommand(
  { command, directory, env, timeoutMs }: CommandSettings,
  processes: Pick<ProcessHost, 'run'>,
  clock: Clock,
): Promise<PrintedCredential | Fault> {
  const [program = '', ...args] = command;
  const failed = (what: string) => fault('credentials', `the credentials command ${program} ${what}`);
  const result = await processes.run(
    {
      owner: 'credentials',
      command: program,
      args,
      cwd: directory,
      env,
      timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: 'none',
    },
    NEVER,
  );
  const problem = howItFailed(result, timeoutMs);
  if (problem !== null) return failed(problem);
  const read = readCredential(result.stdout.text, clock.nowMs());
  return 'problem' in read ? failed(read.problem) : read;
}

/** A call that is aborted leaves the command running for the others. The process host ends it with the daemon. */
const NEVER = new AbortController().signal;

function howItFailed({ ended, exitCode, stderr, problem }: ProcessResult, timeoutMs: number): string | null {
  if (ended === 'exit' && exitCode === 0) return null;
  const said = lastLine(stderr.text);
  if (ended === 'timeout') return `did not finish within ${timeoutMs / 1000} s${said}`;
  if (ended === 'exit') return `exited with ${exitCode}${said}`;
  return `could not be run: ${problem ?? ended}${said}`;
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${maskSecrets(line).slice(0, 200)}`;
}

function unlessAborted<Value>(running: Promise<Value>, signal: AbortSignal): Promise<Value | Fault> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | Fault>();
  const abort = () => resolve(fault('aborted', 'aborted'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  running.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
