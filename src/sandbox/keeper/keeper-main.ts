/** The main program of the keeper. createContainerHost starts it. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { sendToDaemon, serveDaemon } from '../../process/supervisor/helper-main.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { ToKeeper } from './keeper-protocol.ts';
import { createRefusingKeeper } from './refusing-keeper.ts';

main();

function main(): void {
  let keeper: Keeper | null = null;
  serveDaemon<Exclude<ToKeeper, { type: 'stop' }>>('keeper', {
    receive(message) {
      if (message.type === 'open') keeper = open(message);
      else keeper?.receive(message);
    },
    endAll: async (problem) => keeper?.endAll(problem),
  });
}

function open(message: Extract<ToKeeper, { type: 'open' }>): Keeper {
  try {
    return createKeeper(message, sendToDaemon);
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    return createRefusingKeeper(error, message.address.text, sendToDaemon);
  }
}
