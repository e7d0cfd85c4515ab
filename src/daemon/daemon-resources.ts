/** What the services of a daemon are made from. */
import type { Faculties } from '../catalog/faculties.ts';
import type { Config } from '../core/config/config.ts';
import type { Isolation, ProcessHost } from '../process/process-host.ts';
import type { ContainerHost } from '../sandbox/container-host.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { DaemonOptions } from './daemon-options.ts';
import type { ModelSource } from './models/focus-model.ts';
import type { LoadedParts } from './parts/daemon-part.ts';
import type { ServiceBase } from './parts/service-base.ts';
import type { DaemonReadiness } from './presence/readiness.ts';

/** The resources that the daemon has opened. */
export interface DaemonResources extends ServiceBase {
  readonly options: DaemonOptions;
  readonly parts: LoadedParts;
  readonly initial: Faculties;
  /** Reads the faculties again, in the same way as `initial`, under the configuration that holds now. */
  readonly load: (settings: Config) => Promise<Faculties>;
  readonly host: string;
  readonly daemonId: string;
  readonly processes: ProcessHost;
  readonly containers: ContainerHost;
  readonly sandbox: Sandbox;
  readonly models: ModelSource;
  readonly isolation: Isolation;
  readonly readiness: DaemonReadiness;
  /** The parent of all focus directories. */
  readonly directoryRoot: string;
  /** Where the files of active skills are. */
  readonly skillPackages: string;
  readonly exportsMetrics: boolean;
}
