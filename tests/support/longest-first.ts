/** The order of files: the long ones first, so that none of them runs alone at the end of a run. */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default class LongestFirst extends BaseSequencer {
  /** By what each took last time here; where that is not known (a fresh clone, a new file), by what it says about itself. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const expected = new Map(files.map((file) => [file, this.#expectedMs(file)]));
    return files.toSorted((a, b) => expected.get(b)! - expected.get(a)!);
  }

  #expectedMs(file: TestSpecification): number {
    return this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guessedMs(readFileSync(file.moduleId, 'utf8'));
  }
}

/** Tests that may take long declare a time-out of their own, and use some tenth of it. Among others the size decides. */
export function guessedMs(source: string): number {
  const timeOutsMs = [...source.matchAll(/\b(\d{2,3})_000\b/g)].map(([, seconds]) => Number(seconds) * 1000);
  return Math.max(0, ...timeOutsMs.filter((ms) => ms >= 30_000)) / 10 + source.length / 10;
}
