/** The colours that tokens have now, for a canvas: only an element can say them. */

/** Asks an element within `place`; each token once. */
export function coloursOf(place: HTMLElement): (token: string) => string {
  const known = new Map<string, string>();
  return (token) => {
    let colour = known.get(token);
    if (colour === undefined) {
      const probe = document.createElement('span');
      probe.style.color = `var(--${token})`;
      place.append(probe);
      colour = getComputedStyle(probe).color;
      probe.remove();
      known.set(token, colour);
    }
    return colour;
  };
}
