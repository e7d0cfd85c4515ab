/** What a part of animus beside the engine consists of. Everything is loaded when it is used: a command loads its own part only, a daemon only services. */
import type { Config } from '../core/config/config.ts';
import type { DaemonPart } from '../daemon/daemon-part.ts';
import type { Operation } from '../operations/operation.ts';
import type { Schemas } from '../operations/schemas.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { AddOperation } from '../terminal/command/operation-command.ts';
import type { Finding } from '../terminal/view/finding.ts';
import type { Output } from '../terminal/view/output.ts';

export interface Feature extends DaemonPart {
  /** Its folder, the tag of its operations, and its check in `animus doctor`. */
  readonly name: string;
  /** What its operations are about: the description of the tag in the OpenAPI document. */
  readonly about: string;
  /** In the order of the document. */
  readonly operations: () => Promise<readonly Operation[]>;
  readonly commands: FeatureCommands;
  /** What `animus doctor` finds with a configuration that is whole. */
  readonly doctor?: () => Promise<(db: Queryable, config: Config) => Promise<readonly Finding[]>>;
  readonly status?: FeatureStatus;
}

/** Its commands: `animus NAME …`. */
export interface FeatureCommands {
  readonly name: string;
  readonly summary: string;
  /** In the order of the help. */
  readonly load: () => Promise<readonly AddOperation[]>;
}

/** Its part of `animus status`. */
export interface FeatureStatus {
  /** The SQL function that returns an object with its keys; `animus.visible_status` has the same. */
  readonly reader: string;
  /** Its keys in the answer of the API. */
  readonly shape: (schemas: Schemas) => ReturnType<Schemas['z']['object']>['shape'];
  /** Prints it. */
  readonly load: () => Promise<ShowStatus>;
}

/** `status`: all of it, with the keys of the part. */
export type ShowStatus = (output: Output, status: never) => void;
