/**
 * Orders test files by duration, longest first, so that no long file runs alone at the end. Files with a process of their own come
 * first, the others project by project: a process that files share ends where a file follows that cannot share it.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default class LongestFirst extends BaseSequencer {
  /** By their last duration here; if that is unknown (a fresh clone, a new file), by an estimate from the file itself. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const expected = new Map(files.map((file) => [file, this.#expectedMs(file)]));
    return files.toSorted((a, b) => byProcess(a.project, b.project) || expected.get(b)! - expected.get(a)!);
  }

  #expectedMs(file: TestSpecification): number {
    return this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guessedMs(readFileSync(file.moduleId, 'utf8'));
  }
}

type Project = TestSpecification['project'];

function byProcess(a: Project, b: Project): number {
  const isolated = Number(b.config.isolate) - Number(a.config.isolate);
  return isolated || (a.config.isolate ? 0 : a.name.localeCompare(b.name));
}

/** Tests that may take long declare their own time-out and use about a tenth of it. Otherwise the file size decides. */
export function guessedMs(source: string): number {
  const timeOutsMs = [...source.matchAll(/\b(\d{2,3})_000\b/g)].map(([, seconds]) => Number(seconds) * 1000);
  return Math.max(0, ...timeOutsMs.filter((ms) => ms >= 30_000)) / 10 + source.length / 10;
}
