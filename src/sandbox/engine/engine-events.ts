/** Longer than any event; the engine is trusted, its connection may be cut in the middle of a line. */
const MAX_EVENT_CHARS = 1024 * 1024;

/** The events in an answer of the engine, which has one JSON object per line; lines that cannot be read are left out. */
export async function* eventsOf<Event>(stream: NodeJS.ReadableStream): AsyncGenerator<Event> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_EVENT_CHARS);
    for (const line of lines) yield* eventIn<Event>(line);
  }
  yield* eventIn<Event>(rest);
}

function eventIn<Event>(line: string): readonly Event[] {
  try {
    return [JSON.parse(line) as Event];
  } catch {
    return [];
  }
}
