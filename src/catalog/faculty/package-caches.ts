/** The package managers whose caches the foci of a faculty can share. A new one is a line here and in docs/faculties.md. */

/** How a manager is led to a cache. */
export interface PackageCache {
  /** Variables that name a directory, by its path below the cache. */
  readonly places: Readonly<Record<string, string>>;
  /** Further variables that it needs for a shared cache. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where a manager keeps its cache and its secrets in one directory. */
  readonly links?: CacheLinks;
}

/** A directory in HOME, private to the focus, of which some names lead to the cache. */
export interface CacheLinks {
  /** Relative to HOME. */
  readonly directory: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Names in it that are links to the same names in the cache. */
  readonly names: readonly string[];
  /** Those of the names that are directories, which have to be in the cache before the manager starts. */
  readonly directories: readonly string[];
}

/** By the word of `faculty.caches`. */
export const PACKAGE_CACHES = {
  npm: { places: { npm_config_cache: '.' } },
  // The first is for version 1, the second for later ones.
  yarn: { places: { YARN_CACHE_FOLDER: 'v1', YARN_GLOBAL_FOLDER: 'berry' } },
  // Up to version 10, and from 11 on.
  pnpm: { places: { npm_config_store_dir: '.', pnpm_config_store_dir: '.' } },
  pip: { places: { PIP_CACHE_DIR: '.' } },
  // A hard link into the cache would let an edit of an installed file change the cache.
  uv: { places: { UV_CACHE_DIR: '.' }, settings: { UV_LINK_MODE: 'copy' } },
  // CARGO_HOME also contains credentials and programs. The files are the locks of the registry, and what was used when.
  cargo: {
    places: {},
    links: {
      directory: '.cargo',
      variable: 'CARGO_HOME',
      names: ['registry', 'git', '.package-cache', '.package-cache-mutate', '.global-cache'],
      directories: ['registry', 'git'],
    },
  },
  // Without the setting, nobody could remove the modules with `rm`: they are read-only.
  go: { places: { GOMODCACHE: 'mod', GOCACHE: 'build' }, settings: { GOFLAGS: '-modcacherw' } },
} as const satisfies Readonly<Record<string, PackageCache>>;

/** A word of `faculty.caches`. */
export type PackageManager = keyof typeof PACKAGE_CACHES;

/** All words. */
export const PACKAGE_MANAGERS = Object.keys(PACKAGE_CACHES) as readonly PackageManager[];
