/** What the daemon keeps of a container or a program in one, until its end is reported. */
import { AnimusError, errorOf } from '../../core/errors/errors.ts';
import { createStreams, type LaunchStreams } from '../../process/host/launch-streams.ts';
import type { LaunchedProcess, ProcessEnd } from '../../process/process-host.ts';
import type { StreamOutput } from '../../process/supervisor/supervisor-protocol.ts';
import type { ContainerEnd, ContainerExec, ContainerOwner, HeldContainer } from '../container-host.ts';
import type { FromKeeper, ToKeeper } from '../keeper/keeper-protocol.ts';

/** Something that the keeper holds. */
export interface Pending {
  receive(message: About): void;
  /** The keeper has ended. */
  lost(problem: string): void;
}

/** A message about a container or a program. */
export type About = Extract<
  FromKeeper,
  StreamOutput | { readonly type: 'started' | 'failed' | 'out_of_memory' | 'ended' | 'exec_ended' }
>;

/** How the two sides are reached. */
export interface KeeperLine {
  readonly id: number;
  readonly send: (message: ToKeeper) => void;
  /** Forgets it. */
  readonly over: () => void;
}

/** What a held container asks of the host. */
export interface ContainerCalls {
  exec(spec: ContainerExec): LaunchedProcess;
  adopt(owner: ContainerOwner): void;
  destroy(): Promise<void>;
  lives(): Promise<boolean>;
}

/** A container that is being started, and then held. */
export function pendingContainer(
  { id, send, over }: KeeperLine,
  calls: ContainerCalls,
): { readonly pending: Pending; readonly started: Promise<HeldContainer> } {
  const streams = createStreams(id, 'pipe', send);
  const started = Promise.withResolvers<HeldContainer>();
  const exited = Promise.withResolvers<ContainerEnd>();
  let outOfMemory = false;

  const end = (how: ContainerEnd): void => {
    over();
    streams.end();
    started.reject(
      new AnimusError('process.interrupted', { command: 'the container', detail: how.problem ?? how.ended }),
    );
    exited.resolve(how);
  };
  const held = (container: string): HeldContainer => {
    const { stdin, stdout, stderr } = streams;
    if (stdin === null) throw new AnimusError('internal.bug', { detail: 'a container without input' });
    return { id: container, stdin, stdout, stderr, exited: exited.promise, outOfMemory: () => outOfMemory, ...calls };
  };
  const pending: Pending = {
    receive(message) {
      switch (message.type) {
        case 'started':
          return started.resolve(held(message.container));
        case 'failed':
          started.reject(errorOf(message.code, message.details));
          return end({ ended: 'lost', exitCode: null, problem: null });
        case 'out_of_memory':
          return void (outOfMemory = true);
        case 'ended':
          return end(message.end);
        default:
          return receiveStream(streams, message);
      }
    },
    lost: (problem) => end({ ended: 'lost', exitCode: null, problem }),
  };
  return { pending, started: started.promise };
}

/** A program in a container. */
export function pendingExec(
  { id, send, over }: KeeperLine,
  input: ContainerExec['stdin'],
): { readonly pending: Pending; readonly process: LaunchedProcess } {
  const streams = createStreams(id, input, send);
  const exited = Promise.withResolvers<ProcessEnd>();
  const startedAt = performance.now();
  const end = (how: Pick<ProcessEnd, 'ended' | 'exitCode' | 'problem'>): void => {
    over();
    streams.end();
    exited.resolve({ ...how, signal: null, durationMs: performance.now() - startedAt });
  };
  const { stdin, stdout, stderr } = streams;
  const stop = (): Promise<ProcessEnd> => {
    send({ type: 'stop_exec', id });
    return exited.promise;
  };
  const pending: Pending = {
    receive: (message) => (message.type === 'exec_ended' ? end(message.end) : receiveStream(streams, message)),
    lost: (problem) => end({ ended: 'interrupted', exitCode: null, problem }),
  };
  return { pending, process: { stdin, stdout, stderr, exited: exited.promise, stop } };
}

function receiveStream(streams: LaunchStreams, message: About): void {
  if (message.type === 'output' || message.type === 'written' || message.type === 'input_closed')
    streams.receive(message);
}
