/** The keeper where no client of the engine can be opened: its address or its certificates are unusable. */
import type { AnimusError } from '../../core/errors/errors.ts';
import { unknownHealth } from '../engine/engine-health.ts';
import type { Keeper } from './keeper.ts';
import type { FromKeeper } from './keeper-protocol.ts';

/** Answers every request with the error. */
export function createRefusingKeeper(error: AnimusError, where: string, send: (message: FromKeeper) => void): Keeper {
  return {
    receive(message) {
      switch (message.type) {
        case 'launch':
          return send({ type: 'failed', id: message.id, code: error.code, details: error.details });
        case 'exec':
          return send({
            type: 'exec_ended',
            id: message.id,
            end: { ended: 'unavailable', exitCode: null, problem: error.message },
          });
        case 'destroy':
        case 'kill_all':
          return send({ type: 'gone', id: message.id });
        case 'lives':
          return send({ type: 'lives', id: message.id, lives: false });
        case 'health':
          return send({ type: 'health', id: message.id, health: unknownHealth(where, message.image, error.message) });
        default:
          return undefined;
      }
    },
    endAll: async () => {},
  };
}
