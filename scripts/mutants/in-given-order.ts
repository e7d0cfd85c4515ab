/** Runs test files in the order of ANIMUS_MUTANT_TESTS, which is that of their distance from the mutant. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = (process.env['ANIMUS_MUTANT_TESTS'] ?? '').split('\n');
    const place = (file: TestSpecification) => order.findIndex((name) => file.moduleId.endsWith(`/${name}`));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}
