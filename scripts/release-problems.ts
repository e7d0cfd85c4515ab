/** Lists the reasons that prevent a release, from facts that are cheap to gather. */

export interface ReleaseFacts {
  readonly version: string;
  readonly isPrivate: boolean;
  /** The two places where package-lock.json says the version. */
  readonly lockVersions: readonly string[];
  readonly changelog: string;
  /** Lines of `git status --porcelain`. */
  readonly changedFiles: readonly string[];
  /** Tags of earlier releases, such as `v0.1.0`. */
  readonly tags: readonly string[];
}

/** All problems at once, each with the way out; an empty list when there are none. */
export function releaseProblems(facts: ReleaseFacts): string[] {
  const { version, tags } = facts;
  const problems: string[] = [];
  if (!isVersion(version)) problems.push(`package.json: ${version} is not a version like 1.2.3 or 1.2.3-rc.1`);
  if (facts.isPrivate) problems.push('package.json: "private" is true, and npm does not publish private packages');
  const other = facts.lockVersions.find((each) => each !== version);
  if (other !== undefined) problems.push(`package-lock.json says ${other}, package.json ${version}; run: npm install`);
  problems.push(...changelogProblems(facts.changelog, version));
  if (tags.includes(`v${version}`)) problems.push(`tag v${version} already exists; choose the next version`);
  const later = tags.map((tag) => tag.slice(1)).find((tag) => isVersion(tag) && compareVersions(tag, version) > 0);
  if (later !== undefined) problems.push(`${later} has already been released; ${version} must be later`);
  const [first, ...more] = facts.changedFiles;
  if (first !== undefined) {
    problems.push(
      `the tree is not clean: ${first.trim()}${more.length > 0 ? ` and ${more.length} more` : ''}; commit first`,
    );
  }
  return problems;
}

/** The first section has to be the version's, with the day of its release and something in it. */
function changelogProblems(changelog: string, version: string): string[] {
  const [, heading, body] = /^## (.*)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  if (heading === undefined || body === undefined) return ['CHANGELOG.md has no section'];
  const [named, date] = heading.split(/\s+/);
  if (named !== version) return [`CHANGELOG.md begins with ${named}, package.json says ${version}`];
  const problems: string[] = [];
  if (!/^\(\d{4}-\d{2}-\d{2}\)$/.test(date ?? '')) {
    problems.push(`CHANGELOG.md: expected "## ${version} (YYYY-MM-DD)", got "## ${heading}"`);
  }
  if (!/^- /m.test(body)) problems.push(`CHANGELOG.md lists no change for ${version}`);
  return problems;
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(text);
}

/** Negative when `a` is earlier; a pre-release comes before its release, and two of them compare as text. */
function compareVersions(a: string, b: string): number {
  const [aNumbers = '', ...aRest] = a.split('-');
  const [bNumbers = '', ...bRest] = b.split('-');
  const byNumbers = aNumbers.localeCompare(bNumbers, 'en', { numeric: true });
  if (byNumbers !== 0) return byNumbers;
  const [aPre, bPre] = [aRest.join('-'), bRest.join('-')];
  if (aPre === '' || bPre === '') return Number(bPre !== '') - Number(aPre !== '');
  return aPre.localeCompare(bPre, 'en', { numeric: true });
}
