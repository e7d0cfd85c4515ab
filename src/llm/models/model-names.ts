/** The names under which one model is known: at its vendor, at gateways, and in the clouds. */

/** The names of a model in the catalogue, most exact first. */
export interface CatalogueNames {
  /** At its own vendor: as written, and without a date. */
  readonly own: readonly string[];
  /** Elsewhere: without the decorations of gateways and clouds, too. */
  readonly elsewhere: readonly string[];
}

/**
 * A model's possible names. `anthropic/claude-sonnet-4.5` at a gateway, `eu.anthropic.claude-sonnet-4-5-20250929-v1:0` at
 * Bedrock and `claude-sonnet-4-5@20250929` at Vertex are `claude-sonnet-4-5` at Anthropic.
 */
export function namesOf(model: string): CatalogueNames {
  const own = [model, undated(model)];
  const bare = own.map((name) => name.slice(name.lastIndexOf('/') + 1));
  const inCloud = undated(
    (bare[0] ?? '')
      .replace(/^((us|eu|apac|jp|au|ca|global|us-gov)\.)?(anthropic|openai|meta|mistral|deepseek|qwen)\./, '')
      .replace(/-v\d+(:\d+)?(:[\w-]+)?$/, '')
      .replace(/@(\d{8}|default|latest)$/, ''),
  );
  const names = [...own, ...bare, inCloud];
  return { own, elsewhere: [...new Set([...names, ...names.map((name) => name.replaceAll('.', '-'))])] };
}

/** The longest of the starts that a name begins with; null: none. */
export function longestStart(name: string, starts: readonly string[]): string | null {
  return starts.filter((start) => name.startsWith(start)).sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Of the names in `[models."…"]`, those that describe a model: families, which end in `*`, from the shortest on, then its own. */
export function overrideNames(name: string, written: readonly string[]): readonly string[] {
  const families = written.filter((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1)));
  const sorted = families.toSorted((a, b) => a.length - b.length);
  return written.includes(name) && !sorted.includes(name) ? [...sorted, name] : sorted;
}

function undated(name: string): string {
  return name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
