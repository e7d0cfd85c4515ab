/** Builds the image of the sandbox on the engine, from the files in docker/sandbox. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import { engineError } from './engine-errors.ts';
import { eventsOf } from './engine-events.ts';
import type { Engine } from './open-engine.ts';

/** In a clone and in the package alike: this file is three folders below the root in both. */
const FILES = join(import.meta.dirname, '../../../docker/sandbox');
const CONTEXT = ['Dockerfile', 'start.py', 'animus_sandbox'];

export interface BuildOptions {
  /** The name that the image gets. */
  readonly image: string;
  /** Asks the registry for a newer base image. */
  readonly pull: boolean;
  /** Does every step again. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
  /** Called with each line that the engine says. */
  readonly onProgress: (line: string) => void;
}

export interface BuiltImage {
  readonly id: string;
  readonly bytes: number;
}

/** One event of the engine's answer to a build. */
interface BuildEvent {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progress?: string;
  readonly error?: string;
}

/**
 * Sends the files and follows the build. Rejects with `sandbox.unreachable`, `sandbox.no_space`, or `sandbox.build_failed`
 * with the last lines of the build, and with the signal's reason when it is aborted.
 */
export async function buildImage({ docker, where }: Engine, options: BuildOptions): Promise<BuiltImage> {
  const { image, pull, fresh, signal, onProgress } = options;
  if (!existsSync(FILES))
    throw failed({ image, where, detail: `its files are not in ${FILES}`, hint: '; reinstall animus' });
  try {
    signal.throwIfAborted();
    const stream = await docker.buildImage(
      { context: FILES, src: CONTEXT },
      { t: image, nocache: fresh, ...(pull && { pull }), abortSignal: signal, networkmode: 'none' },
    );
    const said = await followed(stream, onProgress);
    if (said.error !== null) throw buildError(said.error, said.lines, { image, where });
    const { Id: id, Size: bytes } = await docker.getImage(image).inspect();
    return { id, bytes };
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, { where, image });
  }
}

/** Reads the events to their end; `lines` are the last ones. */
async function followed(stream: NodeJS.ReadableStream, onProgress: (line: string) => void) {
  const lines: string[] = [];
  let error: string | null = null;
  for await (const event of eventsOf<BuildEvent>(stream)) {
    if (event.error !== undefined) error = event.error.trim();
    const line = (event.stream ?? [event.status, event.id, event.progress].filter(Boolean).join(' ')).trim();
    if (line === '') continue;
    onProgress(line);
    // A download reports each of its steps; only what the build itself prints explains an error.
    if (event.stream !== undefined) lines.push(...line.split('\n'));
    lines.splice(0, lines.length - LINES_SHOWN);
  }
  return { error, lines };
}

const LINES_SHOWN = 15;

function buildError(error: string, lines: readonly string[], at: { image: string; where: string }): AnimusError {
  if (/no space left on device/i.test(error))
    return new AnimusError('sandbox.no_space', { where: at.where, detail: error });
  const detail = [error, ...lines.map((line) => `  ${line}`)].join('\n');
  return failed({ ...at, detail, hint: remedy(error) });
}

function failed(details: { image: string; where: string; detail: string; hint: string }): AnimusError {
  return new AnimusError('sandbox.build_failed', details);
}

/** The only thing that the build needs from outside is its base image. */
function remedy(error: string): string {
  if (!/pull|manifest|registry|lookup|TLS|timeout|toomanyrequests|unauthorized|not found/i.test(error)) return '';
  return '\nThe engine cannot get the base image. Load python:3.13-slim-trixie there (docker pull, or docker load), then run this again';
}
