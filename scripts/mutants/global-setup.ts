/** Gives the tests of a mutant the server and the databases that the sampler has made once. */
import type { TestProject } from 'vitest/node';

export default function setup(project: TestProject): void {
  project.provide('postgresUrl', process.env['ANIMUS_MUTANT_SERVER'] ?? '');
  project.provide('templateDatabase', process.env['ANIMUS_MUTANT_TEMPLATE'] ?? '');
  project.provide('embeddedTemplate', process.env['ANIMUS_MUTANT_EMBEDDED'] ?? '');
}
