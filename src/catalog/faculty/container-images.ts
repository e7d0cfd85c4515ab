/** Which images the faculties need on the Docker engine. */
import type { Faculty } from './faculty.ts';

/** The names of the faculties that need it, by image. `codeImage`: the image of code whose faculty names none. */
export function containerImages(
  faculties: Iterable<Faculty>,
  codeImage: string,
): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, string[]>();
  const need = (image: string, { name }: Faculty): void => {
    const names = needed.get(image) ?? [];
    if (!names.includes(name)) names.push(name);
    needed.set(image, names);
  };
  for (const faculty of faculties) {
    const code = faculty.engage.codeExecution ?? null;
    if (code !== null) need(code.image ?? codeImage, faculty);
    const { bashContainer } = faculty;
    if (!bashContainer) continue;
    need(bashContainer.image, faculty);
    // The relay of its allow-list.
    if (bashContainer.network.length > 0) need(codeImage, faculty);
  }
  return needed;
}
