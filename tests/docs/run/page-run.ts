import type { StandIns } from '../output/stand-ins.ts';
import type { Page } from '../page/read-page.ts';
import type { PageDatabase } from './page-database.ts';
import type { PageHome } from './page-home.ts';
import type { Shell } from './shell.ts';

/** What the blocks of a page share while it runs. */
export interface PageRun {
  readonly page: Page;
  readonly home: PageHome;
  readonly shell: Shell;
  readonly database: PageDatabase;
  readonly standIns: StandIns;
  /** What the last commands printed. */
  printed: string;
}
