/** `animus sandbox build`: makes the image of the sandbox on the Docker engine. */
import type { Command } from 'commander';
import { DEFAULT_SANDBOX_IMAGE } from '../../core/config/sections/engine-address.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { styled } from '../../terminal/view/output.ts';
import { duration, bytes as sizeOf } from '../../terminal/view/quantities.ts';

interface BuildOptions extends CommonOptions {
  readonly tag: string;
  readonly pull?: boolean;
  /** Commander's form of --no-cache. */
  readonly cache?: boolean;
}

export function addBuildCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'build', {
    summary: 'build the image in which code runs; safe to repeat',
    examples: ['animus sandbox build', 'DOCKER_HOST=tcp://box:2376 animus sandbox build --pull'],
  })
    .option('--tag <name>', 'the name of the image', DEFAULT_SANDBOX_IMAGE)
    .option('--pull', 'ask the registry for a newer base image first')
    .option('--no-cache', 'do every step again')
    .action(run(buildCommand));
}

async function buildCommand(invocation: Invocation, options: BuildOptions): Promise<number> {
  const { pull = false, cache = true } = options;
  const tag = /:[^/]*$/.test(options.tag) ? options.tag : `${options.tag}:latest`;
  const { output, context } = invocation;
  const { sandbox } = await invocation.config();
  const { openEngine } = await import('../../sandbox/engine/open-engine.ts');
  const { buildImage } = await import('../../sandbox/engine/build-image.ts');
  const engine = openEngine(sandbox.endpoint);
  const startedMs = performance.now();
  const onProgress = (line: string) => output.progress(`building ${tag}: ${line}`);
  const signal = context.signals.drain;
  const { id, bytes } = await buildImage(engine, { image: tag, pull, fresh: !cache, signal, onProgress }).catch(
    (error) => {
      throw signal.aborted ? interruption() : error;
    },
  );
  output.progress(null);
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  output.document({ image: tag, id, bytes, where: engine.where, seconds, configured: sandbox.image });
  output.line(styled('built    ', 'green'), `${tag}  `, styled(`${sizeOf(bytes)}, ${duration(seconds * 1000)}`, 'dim'));
  if (sandbox.image !== tag)
    output.note(
      `[sandbox] has image = "${sandbox.image}", so code of faculties that name no image does not run in ${tag}`,
    );
  return 0;
}
