/** Orders test files by duration, longest first, so that no long file runs alone at the end. */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default class LongestFirst extends BaseSequencer {
  /** By their last duration here; if that is unknown (a fresh clone, a new file), by an estimate from the file itself. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const expected = new Map(files.map((file) => [file, this.#expectedMs(file)]));
    return files.toSorted((a, b) => expected.get(b)! - expected.get(a)!);
  }

  #expectedMs(file: TestSpecification): number {
    return this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guessedMs(readFileSync(file.moduleId, 'utf8'));
  }
}

/** Tests that may take long declare their own time-out and use about a tenth of it. Otherwise the file size decides. */
export function guessedMs(source: string): number {
  const timeOutsMs = [...source.matchAll(/\b(\d{2,3})_000\b/g)].map(([, seconds]) => Number(seconds) * 1000);
  return Math.max(0, ...timeOutsMs.filter((ms) => ms >= 30_000)) / 10 + source.length / 10;
}
