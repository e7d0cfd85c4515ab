/** Chromium for the tests of the console: Debian's package, or one that the PATH has. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** A page that is waited for comes late on a busy machine. */
const PATIENCE_MS = 30_000;

/** Why the tests cannot run here; null if they can. Throws instead if `ANIMUS_REQUIRE_BROWSER` is set. */
export function browserMissing(): string | null {
  if (programPath() !== null) return null;
  const reason = `none of ${NAMES.join(', ')} is on the PATH (Debian: apt-get install chromium)`;
  if (process.env['ANIMUS_REQUIRE_BROWSER']) throw new Error(reason);
  return reason;
}

function programPath(): string | null {
  const directories = (process.env['PATH'] ?? '').split(':');
  const candidates = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}

export interface OpenedPage {
  readonly page: Page;
  /** What the page has complained about: uncaught errors, errors of the console, and requests to other hosts. */
  readonly complaints: string[];
}

export interface TestBrowser {
  /** A page with a cookie store of its own, which is closed when the test has finished. */
  open(options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** One browser for a file, started with its first page. Call it where hooks may be registered. */
export function testBrowser(): TestBrowser {
  let starting: Promise<Browser> | null = null;
  afterAll(async () => (await starting)?.close());
  return {
    async open(options = {}) {
      starting ??= chromium.launch({
        executablePath: programPath()!,
        // Chromium refuses its own sandbox to root, as which tests run in containers.
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      });
      const context = await (await starting).newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      return { page, complaints: listen(page) };
    },
  };
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && host !== new URL(page.url()).host && page.url() !== 'about:blank') {
      complaints.push(`request to ${host}`);
    }
  });
  return complaints;
}
