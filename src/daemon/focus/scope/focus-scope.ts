/** The parts of a focus, as its phases see them. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import type { Clock } from '../../../core/lifecycle/clock.ts';
import type { Lease } from '../../../core/lifecycle/lease.ts';
import type { FocusEvent, FocusEventBody } from '../../../engage/events/events.ts';
import type { LoopStart } from '../../../engage/loop.ts';
import type { UnsentTurn } from '../../../engage/turn/unsent-turn.ts';
import type { Isolation, ProcessHost } from '../../../process/process-host.ts';
import type { AnswerStart } from '../../../store/conversations/answer-start.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { BeginNewFocus } from '../../../store/transcript/begin-foci.ts';
import type { KeepTurn } from '../../../store/transcript/budgeted-turns.ts';
import type { FocusKey, FocusRow } from '../../../store/transcript/focus-row.ts';
import type { EngineMessage } from '../../../store/transcript/messages.ts';
import type { ClaimedWork, CutOff } from '../../../store/work/work.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { Toolset } from '../../../tools/source.ts';
import type { ToolSource } from '../../../tools/tool-source.ts';
import type { DigestFor } from '../../awareness/shared-awareness.ts';
import type { FileGuard, RulesNow } from '../../guard/file-guard.ts';
import type { ModelSource } from '../../models/focus-model.ts';
import type { ChangedProvider } from '../../models/providers-of-work.ts';
import type { SkillShelf } from '../../skills/shelf.ts';
import type { FocusDirectory } from '../../workspace/focus-directory.ts';
import type { FocusHome } from '../../workspace/focus-home.ts';
import type { Worktree } from '../../worktrees/worktree.ts';
import type { MakeBashContainer } from './bash-container.ts';
import type { FocusControl } from './focus-control.ts';
import type { SkillStore } from './skill-store.ts';
import type { WrittenTally } from './written-tally.ts';

/** This host, as a focus of it may use it. */
export interface HostReach {
  readonly processes: ProcessHost;
  /** Where the faculty names none of its own. */
  readonly isolation: Isolation;
  /** Restrictions on files of this host, for tools and hooks. */
  readonly guard: FileGuard;
  /** The real path of the parent of all focus directories. */
  readonly realRoot: () => Promise<string>;
  readonly name: string;
  /** The directory of all worktrees of this host, absolute, and the address of commits in them (`daemon.commit_email`). */
  readonly worktrees: { readonly root: string; readonly commitEmail: string };
  /** Makes the container of a focus whose `bash` does not run on this host. */
  readonly bashContainer: MakeBashContainer;
  /** The part of the daemon's environment that hooks get. */
  readonly hookEnvironment: Readonly<Record<string, string>>;
}

/** The skills of this daemon. */
export interface SkillReach {
  readonly shelf: Pick<SkillShelf, 'ready' | 'refresh'>;
  readonly store: SkillStore;
  /** Where the files of active skills are on this host; absolute. */
  readonly packages: string;
}

/** What all foci of the daemon have together. */
export interface SharedReach {
  /** Waits until the beginning of a turn under limits is on disk. */
  readonly keepTurn: KeepTurn;
  /** Makes the digest of other work for the first message. */
  readonly awareness: DigestFor;
  /** True: nobody can be asked (`DaemonOptions`). */
  readonly unattended: boolean;
}

/** What a focus may reach. */
export interface FocusReach {
  readonly db: Database;
  readonly clock: Clock;
  /** Asked before anything that has an effect outside the daemon. */
  readonly lease: Lease;
  readonly log: Log;
  readonly host: HostReach;
  readonly models: ModelSource;
  readonly skills: SkillReach;
  readonly shared: SharedReach;
}

/** What beginning a focus needs; its phases see none of this. */
export interface FocusBeginning {
  /** The parent of all focus directories; absolute. */
  readonly directoryRoot: string;
  readonly toolSources: readonly ToolSource[];
  readonly onEvent: (event: FocusEvent) => void;
  /** Begins foci on items without a history, many in one statement. */
  readonly beginNew: BeginNewFocus;
}

/** What was recorded together with the focus. */
export interface FirstRequest {
  /** Its first message, and those of the skills that it begins with. */
  readonly messages: readonly EngineMessage[];
  /** Turn 1; null where no model is asked. */
  readonly begun: NonNullable<LoopStart['begun']> | null;
}

/** A focus in progress, as its phases see it: what it is, what this run of it holds, and what it may reach. */
export interface Focus {
  readonly work: ClaimedWork;
  /**
   * As loaded now, except the parts that requests are built from: these are as they were when the focus began
   * (`asBegun`).
   */
  readonly faculty: Faculty;
  readonly loaded: LoadedFaculty;
  readonly key: FocusKey;
  readonly row: FocusRow;
  /** There if it answers a message of a conversation. */
  readonly answer: AnswerStart | null;
  readonly run: FocusRun;
  readonly reach: FocusReach;
}

/** The faculty as it is loaded now: what the focus could go on with where it may not go on with its own model. */
export interface LoadedFaculty {
  readonly faculty: Faculty;
  /** There if the provider of the focus's model is gone or is another one: then nothing may be sent. */
  readonly changedProvider: ChangedProvider | null;
}

/** What this run of a focus holds. */
export interface FocusRun {
  readonly control: FocusControl;
  /** There if the focus began with its first message and its first turn. */
  readonly first: FirstRequest | null;
  readonly unsent: UnsentTurn;
  /** The tools it may call; closed when the focus is over. */
  readonly toolset: Toolset;
  readonly place: FocusPlace;
  readonly emit: (event: FocusEventBody) => void;
  /** The calls of this run that write. */
  readonly written: WrittenTally;
  readonly telling: Telling;
}

/** Where a focus works. */
export interface FocusPlace {
  readonly workspace: string;
  /** Its own directory, which may not have been needed yet. */
  readonly directory: FocusDirectory;
  /** HOME of its commands, made when a process needs it. */
  readonly home: FocusHome;
  /** With `isolation = "worktree"`: the workspace is its path. */
  readonly worktree: Worktree | null;
  readonly fileRules: RulesNow;
}

/** The streams of answers and of output to watchers in other processes, which `emit` feeds. */
export interface Telling {
  /** The text so far of an answer that is not recorded; null if there is none. */
  underWay(): CutOff | null;
  /** Ends the streams. Call it when the focus is over. */
  stop(): Promise<void>;
}

/** The attributes of the spans of a focus's phases. */
export function spanKey({ work, key }: Focus) {
  return { 'work.id': work.id, 'work.faculty': work.faculty, 'work.focus_id': key.focusId };
}
