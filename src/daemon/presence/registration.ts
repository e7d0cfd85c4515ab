/** The daemon's row in the database: the faculties it serves, and all its problems. */
import type { Faculties } from '../../catalog/faculties.ts';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { type DaemonRegistration, registerDaemon } from '../../store/work/daemons.ts';
import { priceRemarks } from '../models/price-remarks.ts';
import { unknownEmbeddings, unknownModels } from '../models/unknown-models.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { missingKey, missingKeys } from './missing-keys.ts';
import { type HeldFaculty, servedFaculties } from './served-faculties.ts';

interface RegisteredDaemon extends ServiceBase {
  /** The configuration that holds now. */
  readonly settings: () => Config;
  readonly daemon: Omit<DaemonRegistration, 'faculties' | 'problems' | 'maxConcurrent' | 'session'>;
  readonly maxConcurrent: () => number;
}

/** `skills`: those that work has written; `library`: those that were found. */
type Subject = 'claims' | 'config' | 'part' | 'skills' | 'library';

export interface Registration {
  /** The faculties that this daemon claims work for. */
  faculties(): ReadonlyMap<string, Faculty>;
  /** Registers these faculties. Rejects while the database is unreachable, and then nothing has changed. */
  take(faculties: Faculties): Promise<void>;
  /**
   * Records that the faculty's provider is failing, and that nothing of it is claimed for that many seconds: `status` shows it until the provider
   * works again, or nothing has tried it for a minute after that time. Never rejects.
   */
  trouble(faculty: string, reason: string, seconds: number): Promise<void>;
  /** Makes what replaces the recorded problems of a subject; each part has its own. That never rejects. */
  reportOn(subject: Subject): (problems: readonly string[]) => Promise<void>;
  /** Replaces the recorded problems of containers, and why faculties of mode `code` can run nothing, by name. Never rejects. */
  sandboxProblems(lines: readonly string[], ofCode: ReadonlyMap<string, string>): Promise<void>;
  /** Records a problem that lasts as long as this daemon runs. Never rejects. */
  fault(problem: string): Promise<void>;
  /** Records that the faculty works again. Never rejects. */
  worked(faculty: string): Promise<void>;
}

export function createRegistration({
  db,
  clock,
  log,
  settings,
  daemon,
  maxConcurrent,
}: RegisteredDaemon): Registration {
  const troubles = new Map<string, HeldFaculty>();
  const faults: string[] = [];
  const reports: { readonly subject: Subject; problems: readonly string[] }[] = [];
  let ofSandbox: readonly string[] = [];
  let ofCode: ReadonlyMap<string, string> = new Map();
  let known: Faculties = { faculties: new Map(), problems: [] };
  let able: ReadonlyMap<string, Faculty> = new Map();
  let remarked: ReadonlySet<string> = new Set();
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: of two statements on two connections, the earlier one may be committed last. */
  function register(loaded: () => Faculties): Promise<void> {
    const registered = last.then(() => registerNow(loaded()));
    last = registered.catch(() => {});
    return registered;
  }

  async function registerNow(loaded: Faculties): Promise<void> {
    const config = settings();
    const lacks = missingKeys(loaded.faculties.values(), config);
    const runnable = ableOf(loaded, config);
    await registerDaemon(db, {
      ...daemon,
      maxConcurrent: maxConcurrent(),
      session: db.kind === 'embedded' ? 'embedded' : 'named',
      faculties: servedFaculties(runnable.values(), config, ofCode, troubles),
      problems: [
        ...loaded.problems.map(({ message }) => message),
        ...problemsOf('claims').map((message) => ({ about: 'claims' as const, message })),
        ...lacks,
        ...faults,
        ...problemsOf('config'),
        ...problemsOf('part'),
        ...ofSandbox,
        ...problemsOf('skills'),
        ...problemsOf('library'),
      ],
    });
    const before = new Set(missingKeys(known.faculties.values(), config));
    for (const lack of lacks) if (!before.has(lack)) log.warn({}, lack);
    known = loaded;
    able = runnable;
  }

  function problemsOf(subject: Subject): readonly string[] {
    return reports.filter((report) => report.subject === subject).flatMap(({ problems }) => problems);
  }

  async function update(): Promise<void> {
    try {
      await register(() => known);
    } catch (error) {
      log.warn(
        { error: messageOf(error) },
        'could not record the problems of this daemon; `animus status` does not show them yet',
      );
    }
  }

  return {
    faculties: () => able,
    async take(loaded) {
      await register(() => loaded);
      const config = settings();
      const unknown = [...loaded.faculties.values()].flatMap((faculty) => unknownModels(faculty, config));
      const messages = [...unknown, ...unknownEmbeddings(config)].map(({ message }) => message);
      for (const message of messages) if (!remarked.has(message)) log.warn({}, `a model is not known: ${message}`);
      const ofPrices = priceRemarks(loaded.faculties.values(), config).map(
        (each) => `${each.message} (${each.remedy})`,
      );
      for (const message of ofPrices) if (!remarked.has(message)) log.warn({}, `prices of models: ${message}`);
      remarked = new Set([...messages, ...ofPrices]);
    },
    async trouble(faculty, reason, seconds) {
      const nowMs = clock.nowMs();
      const before = troubles.get(faculty);
      const until = new Date(nowMs + seconds * 1000).toISOString();
      // Foci that fail together hold it for nearly the same time.
      if (before?.reason === reason && Date.parse(until) - Date.parse(before.until) < 1000) return;
      troubles.set(faculty, { since: before?.since ?? new Date(nowMs).toISOString(), until, reason });
      await update();
    },
    reportOn(subject) {
      const report = { subject, problems: [] as readonly string[] };
      reports.push(report);
      return async (problems) => {
        report.problems = problems;
        await update();
      };
    },
    async sandboxProblems(lines, code) {
      ofSandbox = lines;
      ofCode = code;
      await update();
    },
    async fault(problem) {
      faults.push(problem);
      await update();
    },
    async worked(faculty) {
      if (troubles.delete(faculty)) await update();
    },
  };
}

function ableOf({ faculties }: Faculties, config: Config): ReadonlyMap<string, Faculty> {
  return new Map([...faculties].filter(([, faculty]) => missingKey(faculty, config) === null));
}
