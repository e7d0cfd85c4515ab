/** What tests of all acts send and run, where a part declares it itself: `tests/features/<part>/samples.ts`. */
import { glob } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { TestApi } from '../support/api.ts';

/** A request that is accepted; `animus.work_items` and all else that it needs is made first. */
export type SampleRequest = (api: TestApi) => Promise<SentRequest> | SentRequest;

export interface SentRequest {
  readonly path: string;
  /** Absent: no body at all. */
  readonly body?: object;
}

export interface Samples {
  /** Of each POST, by the name of the act. */
  readonly posts?: Readonly<Record<string, SampleRequest>>;
  /** Of each PUT, PATCH and DELETE. */
  readonly changes?: Readonly<Record<string, SampleRequest>>;
  /** The arguments of each command, in the order in which they run. */
  readonly commands?: Readonly<Record<string, string>>;
}

/** Those of all parts. */
export async function samplesOfParts(): Promise<Required<Samples>> {
  const parts: Samples[] = [];
  for await (const file of glob('*/samples.ts', { cwd: import.meta.dirname })) {
    const { samples } = (await import(`./${basename(dirname(file))}/samples.ts`)) as { samples: Samples };
    parts.push(samples);
  }
  return {
    posts: Object.assign({}, ...parts.map(({ posts }) => posts)),
    changes: Object.assign({}, ...parts.map(({ changes }) => changes)),
    commands: Object.assign({}, ...parts.map(({ commands }) => commands)),
  };
}
