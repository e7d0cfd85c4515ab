// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly missed: 'skip' | 'once' | 'all';
  readonly grace_seconds: number;
  /** What a run does that is due while an item of the schedule has not ended. */
  readonly overlap: 'allow' | 'skip' | 'queue';
  readonly paused: boolean;
  readonly problem: string | null;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly created_at: string;
  /** With `skip` and `queue`: the item that has not ended. */
  readonly open_item: string | null;
}

export interface ListSchedulesOutput {
  readonly items: readonly Schedule[];
}

export interface AddScheduleInput {
  readonly name: string;
  readonly cron: string;
  readonly time_zone?: string | undefined;
  readonly faculty: string;
  readonly description?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly missed?: 'skip' | 'once' | 'all' | undefined;
  readonly grace_seconds?: number | undefined;
  /** What a run does that is due while an item of the schedule has not ended. */
  readonly overlap?: 'allow' | 'skip' | 'queue' | undefined;
  readonly paused?: boolean | undefined;
}

export interface AddScheduleOutput {
  readonly name: string;
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface PauseScheduleOutput {
  readonly name: string;
  readonly paused: boolean;
  readonly changed: boolean;
}

export interface ResumeScheduleOutput {
  readonly name: string;
  readonly paused: boolean;
  readonly changed: boolean;
}

export interface RunScheduleOutput {
  readonly name: string;
  readonly work_item_id: string;
}

export interface ListScheduleRunsInput {
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ListScheduleRunsOutput {
  readonly items: readonly {
    readonly due_at: string;
    /** The last one of several that were missed or skipped. */
    readonly until_at: string;
    /** Fired, manual, missed or skipped. */
    readonly result: string;
    readonly runs: number;
    readonly work_item_id: string | null;
  }[];
}

export interface RemoveScheduleOutput {
  readonly name: string;
  readonly removed: true;
}

/** The methods `client.schedules`. */
export interface SchedulesMethods {
  /**
   * All schedules, for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /schedules`
   */
  list(options?: CallOptions): Promise<ListSchedulesOutput>;
  /**
   * Add a schedule; for operators. Needs a token of scope `decide`.
   *
   * `POST /schedules`
   */
  add(input: AddScheduleInput, options?: CallOptions): Promise<AddScheduleOutput>;
  /**
   * Pause a schedule; for operators. Needs a token of scope `decide`.
   *
   * `POST /schedules/{name}/pause`
   */
  pause(name: string, options?: CallOptions): Promise<PauseScheduleOutput>;
  /**
   * Resume a schedule; for operators. Needs a token of scope `decide`.
   *
   * `POST /schedules/{name}/resume`
   */
  resume(name: string, options?: CallOptions): Promise<ResumeScheduleOutput>;
  /**
   * Submit the work of a schedule now; for operators. Needs a token of scope `decide`.
   *
   * `POST /schedules/{name}/run`
   */
  run(name: string, options?: CallOptions): Promise<RunScheduleOutput>;
  /**
   * The last runs of a schedule, newest first, including those that were missed or skipped; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /schedules/{name}/runs`
   */
  listRuns(name: string, input?: ListScheduleRunsInput, options?: CallOptions): Promise<ListScheduleRunsOutput>;
  /**
   * Remove a schedule and the record of its runs; for operators. Needs a token of scope `decide`.
   *
   * `DELETE /schedules/{name}`
   */
  remove(name: string, options?: CallOptions): Promise<RemoveScheduleOutput>;
}
