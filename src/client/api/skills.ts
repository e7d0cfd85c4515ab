// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface SkillVersion {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  /** The version that it was made from. */
  readonly base: number | null;
  readonly description: string;
  readonly note: string;
  readonly content_hash: string;
  readonly faculty: string | null;
  readonly created_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_note: string | null;
  /** The work that wrote it, if one may see it. */
  readonly work_item_id: string | null;
}

export interface SkillOutcomes {
  readonly items: number;
  readonly completed: number;
  /** Null: the cost of no call is known. */
  readonly cost_usd: number | null;
  /** Calls whose cost is not known, which the sum does not include. */
  readonly unpriced_calls: number;
  readonly turns: number;
}

export interface ListSkillsOutput {
  readonly items: readonly SkillVersion[];
}

export interface ShowSkillOutput {
  readonly items: readonly SkillVersion[];
}

export interface ShowSkillVersionOutput {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  /** The version that it was made from. */
  readonly base: number | null;
  readonly description: string;
  readonly note: string;
  readonly content_hash: string;
  readonly faculty: string | null;
  readonly created_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_note: string | null;
  /** The work that wrote it, if one may see it. */
  readonly work_item_id: string | null;
  readonly files: readonly {
    readonly path: string;
    /** The bytes in base64. */
    readonly content: string;
  }[];
}

export interface DiffSkillInput {
  /** This version. */
  readonly to?: number | undefined;
  /** Default: the one that it was made from. */
  readonly from?: number | undefined;
}

export interface DiffSkillOutput {
  readonly to: SkillVersion;
  readonly from: number | null;
  readonly files: readonly {
    readonly path: string;
    readonly patch: string;
  }[];
}

export interface SkillStatsInput {
  /** Default: 30 days ago. */
  readonly since?: string | undefined;
  /** Only this one. */
  readonly skill?: string | undefined;
}

export interface SkillStatsOutput {
  readonly items: readonly {
    readonly skill: string;
    readonly activations: number;
    readonly last_used_at: string | null;
    readonly with_it: SkillOutcomes;
    /** Other work of the same faculties since the skill was first used there. */
    readonly without: SkillOutcomes;
  }[];
}

export interface StaleSkillsInput {
  /** Default: as the daemons are configured. */
  readonly days?: number | undefined;
}

export interface StaleSkillsOutput {
  readonly items: readonly {
    readonly name: string;
    readonly origin: 'person' | 'agent';
    readonly last_used_at: string | null;
    readonly first_seen_at: string;
  }[];
}

export interface ApproveSkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
  /** Refused with 409 if the version that waits does not have this content hash. */
  readonly hash?: string | undefined;
}

export interface ApproveSkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface DenySkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
  /** Refused with 409 if the version that waits does not have this content hash. */
  readonly hash?: string | undefined;
}

export interface DenySkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface ArchiveSkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
}

export interface ArchiveSkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface RollBackSkillInput {
  /** One that was current before; default: the last of these. */
  readonly to?: number | undefined;
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
}

export interface RollBackSkillOutput {
  readonly name: string;
  readonly version: number;
}

/** The methods `client.skills`. */
export interface SkillsMethods {
  /**
   * The current versions of the skills that agents wrote, by name. Needs a token of scope `read`.
   *
   * `GET /skills`
   */
  list(options?: CallOptions): Promise<ListSkillsOutput>;
  /**
   * The versions of a skill that you may see, newest first. Needs a token of scope `read`.
   *
   * `GET /skills/{name}`
   */
  show(name: string, options?: CallOptions): Promise<ShowSkillOutput>;
  /**
   * A version of a skill with its files. Needs a token of scope `read`.
   *
   * `GET /skills/{name}/versions/{version}`
   */
  showVersion(name: string, version: number, options?: CallOptions): Promise<ShowSkillVersionOutput>;
  /**
   * What a version of a skill changes: the proposed one, if one waits, otherwise the current one. Needs a token of scope `read`.
   *
   * `GET /skills/{name}/diff`
   */
  diff(name: string, input?: DiffSkillInput, options?: CallOptions): Promise<DiffSkillOutput>;
  /**
   * How often skills were used, and what became of the work; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /skill-stats`
   */
  stats(input?: SkillStatsInput, options?: CallOptions): Promise<SkillStatsOutput>;
  /**
   * Skills that nobody has used for a long time; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /stale-skills`
   */
  stale(input?: StaleSkillsInput, options?: CallOptions): Promise<StaleSkillsOutput>;
  /**
   * Approve the proposed version of a skill: foci can use it from then on; for operators. Needs a token of scope `decide`.
   *
   * `POST /skills/{name}/approve`
   */
  approve(name: string, input?: ApproveSkillInput, options?: CallOptions): Promise<ApproveSkillOutput>;
  /**
   * Deny the proposed version of a skill: it is kept and never used; for operators. Needs a token of scope `decide`.
   *
   * `POST /skills/{name}/deny`
   */
  deny(name: string, input?: DenySkillInput, options?: CallOptions): Promise<DenySkillOutput>;
  /**
   * Stop using a skill; its versions stay; for operators. Needs a token of scope `decide`.
   *
   * `POST /skills/{name}/archive`
   */
  archive(name: string, input?: ArchiveSkillInput, options?: CallOptions): Promise<ArchiveSkillOutput>;
  /**
   * Make an earlier version of a skill current again, as a new version with its files; for operators. Needs a token of scope `decide`.
   *
   * `POST /skills/{name}/rollback`
   */
  rollBack(name: string, input?: RollBackSkillInput, options?: CallOptions): Promise<RollBackSkillOutput>;
}
