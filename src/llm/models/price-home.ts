/** Which ANIMUS_HOME fetched prices are read from. Set once, when a process has read its configuration. */
let home: string | null = null;

export function usePricesOf(animusHome: string): void {
  home = animusHome;
}

/** Null: only the prices that come with animus are used. */
export function homeOfPrices(): string | null {
  return home;
}
