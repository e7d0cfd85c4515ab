/** Reads what the main thread runs, from another thread, while its event loop is blocked. */
import { type Debugger, Session } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';

/** Native code, such as JSON.parse of a large text, cannot be interrupted: then there is no stack. */
const WAIT_MS = 3000;
const MAX_FRAMES = 20;

/** The frames as `function (file:line)`, the innermost first; empty if the main thread does not stop for it within three seconds. Never rejects. */
export async function readMainStack(): Promise<readonly string[]> {
  const session = new Session();
  const urls = new Map<string, string>();
  try {
    session.connectToMainThread();
    const paused = new Promise<readonly string[]>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params.callFrames.slice(0, MAX_FRAMES).map(frameText)));
    });
    session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url));
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    const stack = await Promise.race([paused, sleep(WAIT_MS, [])]);
    // Also where it did not pause yet: it must not do so later.
    session.post('Debugger.resume');
    session.post('Debugger.disable');
    return stack;
  } catch {
    return [];
  } finally {
    session.disconnect();
  }

  function frameText({ functionName, location }: Debugger.CallFrame): string {
    return `${functionName || '(anonymous)'} (${urls.get(location.scriptId) ?? 'node'}:${location.lineNumber + 1})`;
  }
}
