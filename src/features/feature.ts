/** What a part of animus beside the engine consists of. Everything is loaded when it is used: a command loads its own part only, a daemon only services. */
import type { Faculties } from '../catalog/faculties.ts';
import type { Config } from '../core/config/config.ts';
import type { DaemonPart } from '../daemon/parts/daemon-part.ts';
import type { Operation } from '../operations/operation.ts';
import type { Reading } from '../operations/reading.ts';
import type { Schemas } from '../operations/schemas.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { Invocation } from '../terminal/command/command.ts';
import type { AddOperation } from '../terminal/command/operation-command.ts';
import type { Finding } from '../terminal/view/finding.ts';
import type { Output } from '../terminal/view/output.ts';

export interface Feature extends DaemonPart {
  /** Its folder, and its check in `animus doctor`. */
  readonly name: string;
  /** Tags of the OpenAPI document that only it has, each with what they are about. Its operations may also have others. */
  readonly tags?: Readonly<Record<string, string>>;
  /** In the order of the document. `all`: the parts that there are, for what is made of them. */
  readonly operations?: (all: readonly Feature[]) => Promise<readonly Operation[]>;
  /** Its acts that read very much. */
  readonly readings?: () => Promise<readonly Reading[]>;
  /** Its commands in the program, by their names: those that `FEATURES` has. Default: none. */
  readonly commands?: Readonly<Record<string, FeatureCommand>>;
  /** What `animus doctor` finds in the database, with a configuration that is whole. */
  readonly doctor?: () => Promise<(db: Queryable, config: Config) => Promise<readonly Finding[]>>;
  /** What it finds elsewhere. */
  readonly examine?: () => Promise<(here: Examined) => readonly Finding[] | Promise<readonly Finding[]>>;
  readonly status?: FeatureStatus;
}

/** A group of commands in the order of the help, a single command, or commands that it adds to the group of another part. */
export interface FeatureCommand {
  /** Of a group of its own. A single command has one itself. */
  readonly summary?: string;
  readonly load: () => Promise<readonly AddOperation[] | AddOperation>;
  /** Loads one of the commands of its group by its name, where all of them load much. Default: they are loaded together. */
  readonly one?: Readonly<Record<string, () => Promise<AddOperation>>>;
}

/** Where `animus doctor` looks, beside the database. */
export interface Examined {
  readonly config: Config;
  readonly faculties: Faculties;
  /** Absolute; they need not exist. */
  readonly skillsDirectories: readonly string[];
  readonly invocation: Invocation;
  /** The providers that may be asked, which may cost something. */
  readonly asked: ReadonlySet<string>;
}

/** Its part of `animus status`. */
export interface FeatureStatus {
  /** Its keys in the answer of the API, which `animus.visible_status` adds. */
  readonly shape: (schemas: Schemas) => ReturnType<Schemas['z']['object']>['shape'];
  /** Whether its lines are the last ones; default: they follow the inbox. */
  readonly last?: boolean;
  /** Prints it. */
  readonly load: () => Promise<ShowStatus>;
}

/** `status`: all of it, with the keys of the part. */
export type ShowStatus = (output: Output, status: never) => void;
