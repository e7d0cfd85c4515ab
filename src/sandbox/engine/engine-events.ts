/** Longer than any event; the engine is trusted, its connection may be cut in the middle of a line. */
const MAX_EVENT_CHARS = 1024 * 1024;

/** The events in an answer of the engine, which has one JSON object per line; lines that cannot be read are left out. */
export async function* eventsOf<Event>(stream: NodeJS.ReadableStream): AsyncGenerator<Event> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_EVENT_CHARS);
    for (const line of lines) yield* valueIn(line) as readonly Event[];
  }
  yield* valueIn(rest) as readonly Event[];
}

function valueIn(line: string): readonly unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
