/** Prints the slowest files at the end of a run of many files, so that a new slow one is noticed. */
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly Pick<TestModule, 'relativeModuleId' | 'project' | 'diagnostic'>[]): void {
    if (modules.length <= SHOWN) return;
    const timed = modules.map((module) => ({ module, seconds: secondsOf(module) }));
    const slowest = timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    const lines = slowest.map(
      ({ module, seconds }) =>
        `${seconds.toFixed(1).padStart(7)} s  ${module.relativeModuleId} (${module.project.name})\n`,
    );
    process.stdout.write(`\nThe ${SHOWN} slowest of ${modules.length} files:\n${lines.join('')}`);
  }
}

/** Includes imports and hooks. */
function secondsOf(module: Pick<TestModule, 'diagnostic'>): number {
  const { collectDuration, duration, prepareDuration, setupDuration } = module.diagnostic();
  return (collectDuration + duration + prepareDuration + setupDuration) / 1000;
}
