/** What a part beside the engine adds to a daemon. The daemon does not know the parts: it is given a list. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { LlmFailure } from '../../llm/client.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import type { PlacedBatches } from '../../llm/llm.ts';
import type { Queryable } from '../../store/sql/database.ts';
import type { ServiceBase } from './service-base.ts';

export interface DaemonPart {
  /** Loads what makes its service, which runs as long as the daemon. */
  readonly service?: () => Promise<CreateService>;
  /** What the janitor removes of it. */
  readonly prune?: { readonly counted: string; readonly load: () => Promise<Prune> };
}

export type CreateService = (daemon: PartOfDaemon) => Service;

/** What a service gets. */
export interface PartOfDaemon extends ServiceBase {
  readonly daemonId: string;
  /** The current settings. */
  readonly settings: () => Config;
  /** The faculties that it claims work for now. */
  readonly faculties: () => Iterable<Faculty>;
  /** Replaces the problems of the part that `animus status` shows. Never rejects. */
  readonly report: (problems: readonly string[]) => Promise<void>;
  readonly models: {
    /** Null: no model of `[embeddings]` is configured. */
    readonly embedder: Embedder | null;
    /** One line for people. */
    explain(failure: LlmFailure): string;
  };
  /** The batches of the provider at a place (`animus.batches`); null: this daemon does not know it. */
  readonly batches: (place: string) => PlacedBatches | null;
}

/** Deletes what is older than `days`, at most `limit` rows; returns how many, or null if another daemon sweeps. */
export type Prune = (db: Queryable, days: number, limit: number) => Promise<number | null>;

/** The parts of a daemon, loaded. */
export interface LoadedParts {
  readonly services: readonly CreateService[];
  /** By what they count. */
  readonly prunes: ReadonlyMap<string, Prune>;
}

export async function loadParts(parts: readonly DaemonPart[]): Promise<LoadedParts> {
  const services: CreateService[] = [];
  const prunes = new Map<string, Prune>();
  for (const { service, prune } of parts) {
    if (service) services.push(await service());
    if (prune) prunes.set(prune.counted, await prune.load());
  }
  return { services, prunes };
}
