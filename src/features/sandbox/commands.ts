/** `animus sandbox build|status|run`, which talk with an engine, or follow what runs there. */
import { addBuildCommand } from './build-image.ts';
import { addSandboxRunCommand } from './run-code.ts';
import { addSandboxStatusCommand } from './sandbox-status.ts';

export const sandboxCommands = [addBuildCommand, addSandboxStatusCommand, addSandboxRunCommand];
