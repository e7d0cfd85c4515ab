/** `animus sandbox status`: whether the Docker engine can run containers for agents. */
import type { Command } from 'commander';
import { containerImages } from '../../catalog/faculty/container-images.ts';
import type { Config } from '../../core/config/config.ts';
import type { EngineFacts, EngineHealth } from '../../sandbox/container-host.ts';
import { askEngine } from '../../terminal/command/ask-engine.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { FACULTIES_OPTION, facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';

interface SandboxStatusOptions extends CommonOptions {
  readonly faculties?: string;
}

/** Adds it. */
export function addSandboxStatusCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'status', {
    summary:
      'show the Docker engine, the images that faculties need, and running containers; exits 1 when there is a problem',
    examples: ['animus sandbox status', 'DOCKER_HOST=tcp://box:2376 animus sandbox status --json'],
  })
    .option(...FACULTIES_OPTION)
    .action(run(statusCommand));
}

async function statusCommand(invocation: Invocation, options: SandboxStatusOptions): Promise<number> {
  const config = await invocation.config();
  const images = await neededImages(invocation, options, config);
  const asked = await askEngine(config, [...images.keys()]);
  const problems = [...new Set(asked.flatMap(({ problem }) => problem ?? []))];
  // There is at least the image of the configuration.
  const first = asked[0]!;
  const { runtime, poolSize, maxExecutions } = config.sandbox;
  invocation.output.document({
    ok: problems.length === 0,
    where: first.where,
    origin: config.origins.get('sandbox.endpoint') ?? 'default',
    engine: first.engine && engineJson(first.engine),
    runtime,
    pool_size: poolSize,
    max_executions: maxExecutions,
    images: asked.map(({ image }) => ({ ...image, faculties: images.get(image.name) ?? [] })),
    containers: first.containers.all,
    problems,
    remarks: first.remarks,
  });
  show(invocation.output, config, asked, images);
  for (const problem of problems) invocation.output.line(styled('problem   ', 'red'), problem);
  return problems.length === 0 ? 0 : 1;
}

function engineJson({ version, os, runtimes, cgroupVersion }: EngineFacts) {
  return { version, os, runtimes, cgroup_version: cgroupVersion };
}

/** Those of the faculties, and the one of the configuration. */
async function neededImages(
  invocation: Invocation,
  options: SandboxStatusOptions,
  config: Config,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { existsSync } = await import('node:fs');
  const directory = await facultiesDirectory(invocation, options.faculties);
  const { loadRunnableFaculties } = await import('../../daemon/reload/load-faculties.ts');
  const faculties = existsSync(directory) ? (await loadRunnableFaculties(directory, config)).faculties : new Map();
  const images = containerImages(faculties.values(), config.sandbox.image);
  return images.has(config.sandbox.image) ? images : new Map([[config.sandbox.image, []], ...images]);
}

function show(
  output: Output,
  config: Config,
  asked: readonly EngineHealth[],
  images: ReadonlyMap<string, readonly string[]>,
): void {
  const first = asked[0]!;
  const engine = first.engine ? `${first.engine.version}, ${first.engine.os}` : 'does not answer';
  const origin = config.origins.get('sandbox.endpoint') ?? 'default';
  output.line(styled('Engine    ', 'bold'), `${engine}  `, styled(`${first.where} (${origin})`, 'dim'));
  if (!first.engine) return;
  output.line(styled('Runtime   ', 'bold'), config.sandbox.runtime ?? "the engine's default");
  for (const { image } of asked) {
    const names = images.get(image.name) ?? [];
    const users = names.length > 0 ? `  used by ${names.join(', ')}` : '';
    output.line(
      styled('Image     ', 'bold'),
      image.name,
      image.present ? styled('  present', 'green') : styled('  missing', 'red'),
      styled(users, 'dim'),
    );
  }
  const { poolSize, maxExecutions } = config.sandbox;
  const limits = styled(`  (at most ${maxExecutions} executions at once; ${poolSize} kept ready per image)`, 'dim');
  output.line(styled('Running   ', 'bold'), `${counted(first.containers.all, 'container')} of all daemons`, limits);
  for (const remark of first.remarks) output.line(styled('remark    ', 'yellow'), remark);
}
