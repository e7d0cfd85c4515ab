import type { CompleteOptions, LlmEvent } from '../client.ts';

/** Passes events on to the caller of a call, and knows whether the caller has got any that a retry would repeat. */
export function passEvents({ onEvent, canDiscard }: Pick<CompleteOptions, 'onEvent' | 'canDiscard'>) {
  let passedOn = false;
  return {
    emit(event: LlmEvent): void {
      if (!onEvent) return;
      passedOn = event.type !== 'restart';
      onEvent(event);
    },
    /** Tells the caller to discard what it got, if it got anything. */
    restart(): void {
      if (passedOn) onEvent?.({ type: 'restart' });
      passedOn = false;
    },
    mayStartOver: () => !passedOn || canDiscard === true,
  };
}
