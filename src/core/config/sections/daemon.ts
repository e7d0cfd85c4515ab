/** `[daemon]`, `[batch]` and `[retention]`: how a daemon works, and how long it keeps what has ended. */
import { problemAt } from '../../errors/problem.ts';
import { DEFAULT_HTTP, type HttpAddress, showAddress } from '../../lifecycle/health.ts';
import { parseListenAddress } from '../../text/addresses.ts';
import { count, listenAddress, matching, seconds } from '../../toml/fields.ts';
import { key, liveKey } from '../../toml/keys.ts';
import { type SectionPlace, section, type ValueOf } from '../source/section.ts';

export type DaemonConfig = ValueOf<typeof daemon>;
export type RetentionConfig = ValueOf<typeof retention>;

/** One address, as it is in a commit; git needs no more of it. */
const COMMIT_EMAIL = /^[^\s<>@\p{Cc}]{1,64}@[^\s<>@\p{Cc}]{1,190}$/u;

/** The poll interval of the embedded database, whose notifications do not reach other connections. */
const EMBEDDED_POLL_SECONDS = 0.25;

export const daemon = section(
  'daemon',
  // biome-ignore format: a key per line
  {
    max_concurrent: liveKey(count(1, 1000).default(4), 'how many foci one daemon runs at once; `serve --max-concurrent` overrides it'),
    lease_seconds: key(seconds(5, 3600).default(60), 'how long a lease lasts without a heartbeat; a heartbeat is sent every third of it. After a crash, work on the same host resumes after this time'),
    poll_seconds: key(seconds(0.1, 600).default(5), 'how often the daemon polls for work, in case a notification was missed; must be less than the lease. Default on the embedded database: 0.25'),
    shutdown_grace_seconds: liveKey(seconds(0, 3600).default(30), 'how long foci may continue after the first SIGTERM; after that they are released at their next turn'),
    focus_host_grace_seconds: liveKey(seconds(0, 86_400).default(120), "for how long a focus is left to daemons on the host that has its files (or those of the previous answer of its conversation); after that, any daemon may take it"),
    focus_max_memory_mib: liveKey(count(64, 16_777_216).default(2048), 'memory in MiB that all processes of a focus (`bash`, hooks, git) may use together. Above it, the command that uses most is stopped with all its processes. A faculty may set its own `max_memory_mib`'),
    focus_max_processes: liveKey(count(16, 1_000_000).default(1024), 'processes and threads that a focus may have together. Above it, the command that uses most is stopped in the same way. A faculty may set its own `max_processes`. See [hooks.md](hooks.md#memory-and-processes)'),
    commit_email: liveKey(matching(COMMIT_EMAIL, 'an e-mail address').default('animus@localhost'), 'the address of the author of commits in [worktrees](worktrees.md); the name is `FACULTY via animus`'),
    pool_size: key(count(2, 500).default(10), 'number of connections of one daemon to Postgres'),
    http: key(listenAddress().default(DEFAULT_HTTP), 'address at which the daemon serves `/healthz` and `/readyz` ([operations.md](operations.md#health)). If the default address is in use, the daemon chooses a free port; an address that is set here is not replaced. With port 0, each daemon takes a free port, says it in its log, and `animus health` finds it'),
  },
  {
    read(settings, place) {
      checkPoll(place);
      const isWritten = (name: string) => place.document.originOf('daemon', name) !== null;
      return {
        ...settings,
        pollSeconds: place.embedded && !isWritten('poll_seconds') ? EMBEDDED_POLL_SECONDS : settings.pollSeconds,
        http: listenAt(settings.http, isWritten('http')),
      };
    },
    shown: ({ http }) => ({ http: http === null ? 'off' : showAddress(http) }),
  },
);

/** Null for `off`. `configured`: set by the user, so the start fails without it. */
export function listenAt(text: string, configured: boolean): (HttpAddress & { readonly configured: boolean }) | null {
  const address = parseListenAddress(text);
  return address && Object.freeze({ ...address, configured });
}

function checkPoll({ document, problems }: SectionPlace): void {
  const lease = document.given('daemon', 'lease_seconds') ?? 60;
  const poll = document.given('daemon', 'poll_seconds');
  if (typeof lease !== 'number' || typeof poll !== 'number' || poll < lease) return;
  const details = { expected: `less than lease_seconds (${lease})`, value: String(poll), hint: '' };
  problems.push(problemAt('config.invalid', document.placeOf('daemon', 'poll_seconds'), details));
}

// biome-ignore format: a key per line
export const batch = section('batch', {
  gather_seconds: key(seconds(0, 3600).default(10), 'how long requests are gathered into one [batch](batch.md), counted from the first'),
  poll_seconds: key(seconds(0.1, 3600).default(60), 'how often a provider is asked about its batches'),
  submit_timeout_seconds: key(seconds(1, 3600).default(120), 'time limit of submitting a batch; after twice that time, a submit without confirmation is looked for at the provider'),
});

const days = () => count(1, 36_500);

// biome-ignore format: a key per line
export const retention = section('retention', {
  resolved_days: liveKey(days().default(90), 'ended work is deleted after this many days, in whole trees; see [schedules.md](schedules.md#what-is-deleted-when)'),
  pack_days: liveKey(days().optional(), 'transcripts of ended work are packed this many days after its end ([operations.md](operations.md#years-of-history)). Without it, they stay in the tables until the work is deleted'),
  artifacts_days: liveKey(days().default(30), 'large outputs of tools, and attachments, are deleted this many days after their work has ended'),
  worktree_days: liveKey(days().default(14), 'the directory of a [worktree](worktrees.md#how-long-it-is-kept) whose content is all on its branch is removed this many days after its work has ended; the branch stays'),
  held_worktree_days: liveKey(days().optional(), 'the same for a directory that contains something that is not on its branch, which is then lost. Without it, such a directory stays until somebody discards it'),
  directories_days: liveKey(count(0, 36_500).default(7), 'the files that ended work left in its own directory are deleted after this many days; `0`: at once'),
});
