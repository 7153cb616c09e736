import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { PodPhase } from '../api/objects/pod.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { DrainProgress } from '../whatif/run/drain.ts'
import type { ApiClass } from './api-client.ts'
import type { ClientWatch, Informer } from './informer.ts'
import type { ClientList, ClientObject, ObjectClient } from './object-client.ts'
import type { ObjectWatch, WatchOptions } from './object-watch.ts'
import type { ReconcileFailure } from './reconciler-runner.ts'
import type { ObjectNamed, ServedResource } from './resource-name.ts'

export interface PodFilter {
  readonly namespace?: string
  readonly node?: string
  /** A label selector as text: `app=web,tier!=cache`. */
  readonly selector?: string
  readonly phase?: PodPhase
}

export interface DrainSettings {
  /** As `kubectl drain --force`: also evicts pods that no controller manages. */
  readonly force?: boolean
  /** Advances the time until the node is drained, at most by this. Default: time does not pass. */
  readonly within?: string | number
}

export interface ServeSettings {
  /** Default: a free port. */
  readonly port?: number
  /**
   * How fast time passes while the cluster is served: 1 as real time, 60 a minute in each second. Default: 0, time passes
   * only with `advance`.
   */
  readonly speed?: number
}

/** A served cluster. */
export interface ServedCluster {
  readonly url: string
  /** A kubeconfig in JSON, which is also YAML. */
  readonly kubeconfig: string
  close(): Promise<void>
}

/**
 * A complete cluster in a test: API, scheduler, controllers and hollow nodes, in virtual time. A change resolves when
 * all its consequences at the same instant have happened; time passes only with `advance`, `advanceUntil`, `drain` and `serve`.
 */
export interface Cluster {
  /** The cluster's time in milliseconds since the epoch. */
  readonly now: number
  readonly release: KubernetesRelease
  readonly seed: string
  /** The kinds that `from` lacks, and the assumptions. */
  readonly notes: readonly string[]
  /** The objects API of `@kubernetes/client-node`. */
  readonly client: ObjectClient
  /** The class `Watch` of `@kubernetes/client-node`, for its `ListWatch`. */
  readonly watcher: ClientWatch
  /**
   * Creates an API of `@kubernetes/client-node`, for example `makeApiClient(CoreV1Api)`. Its requests are answered in the
   * process, in virtual time.
   */
  makeApiClient<A>(type: ApiClass<A>): A
  /** `makeInformer` of `@kubernetes/client-node` without its KubeConfig. Callbacks run in virtual time. */
  makeInformer<T extends ClientObject>(
    path: string,
    listFn: () => Promise<ClientList<T>>,
    labelSelector?: string,
  ): Informer<T>
  /** Rejections of reconcilers, the newest last; at most 1,000. */
  readonly failures: readonly ReconcileFailure[]
  /** Creates or updates objects: YAML or JSON text, an object, or several. An unknown field is an error, as for kubectl. */
  apply(manifests: string | KubeObject | readonly KubeObject[]): Promise<readonly KubeObject[]>
  /** Runs all work that is due at this instant, including reconcilers and callbacks of informers. */
  settle(): Promise<void>
  /** Advances the time: `'5m'`, or milliseconds. */
  advance(duration: string | number): Promise<void>
  /**
   * Advances the time until the condition holds, and returns the elapsed milliseconds. Throws `ClusterTimeoutError`
   * if it does not hold within the time.
   */
  advanceUntil(
    condition: (cluster: Cluster) => boolean | Promise<boolean>,
    options: { readonly within: string | number },
  ): Promise<number>
  /** Waits in virtual time: resolves when the time has advanced by this duration. For code that the cluster runs. */
  sleep(duration: string | number): Promise<void>
  /** A copy that shares nothing with this cluster. Its controllers continue from the objects, as after a change of leader. */
  fork(): Promise<Cluster>
  get<R extends ServedResource>(resource: R, name: string, namespace?: string): ObjectNamed<R> | undefined
  list<R extends ServedResource>(resource: R, namespace?: string): readonly ObjectNamed<R>[]
  /** Changes as an iterator: `for await (const { type, object } of cluster.watch('pods'))`. It ends with `break` or `return()`. */
  watch<R extends ServedResource>(resource: R, options?: WatchOptions): ObjectWatch<ObjectNamed<R>>
  pods(filter?: PodFilter): readonly ObjectNamed<'pods'>[]
  nodes(): readonly ObjectNamed<'nodes'>[]
  events(filter?: { readonly reason?: string; readonly about?: string }): readonly ObjectNamed<'events'>[]
  /** Every object of the cluster, as `from` accepts them. */
  objects(): readonly KubeObject[]
  patch<R extends ServedResource>(
    resource: R,
    name: string,
    patch: JsonObject,
    namespace?: string,
  ): Promise<ObjectNamed<R>>
  delete(resource: ServedResource, name: string, namespace?: string): Promise<void>
  scale(resource: ServedResource, name: string, replicas: number, namespace?: string): Promise<void>
  /** `key=value:Effect` or `key:Effect`. */
  taint(node: string, taint: string): Promise<void>
  /** `key:Effect` or `key`. */
  untaint(node: string, taint: string): Promise<void>
  cordon(node: string): Promise<void>
  uncordon(node: string): Promise<void>
  /** Cordons the node and evicts its pods, as `kubectl drain --ignore-daemonsets --delete-emptydir-data`. */
  drain(node: string, settings?: DrainSettings): Promise<DrainProgress>
  /** The kubelets do nothing until they are revived. Names of nodes or zones. */
  silence(...targets: readonly string[]): Promise<void>
  /** The machines fail: like `silence`, and the containers restart when the machines recover. Names of nodes or zones. */
  fail(...targets: readonly string[]): Promise<void>
  /** Ends a silence or a failure. */
  revive(...targets: readonly string[]): Promise<void>
  /** Restarts a built-in controller without its state, as a change of leader does. */
  restart(controller: string): Promise<void>
  /** Serves the API over HTTPS on a loopback address, for kubectl and every other client. */
  serve(settings?: ServeSettings): Promise<ServedCluster>
  close(): Promise<void>
}

/** The condition of `advanceUntil` did not hold within the time. */
export class ClusterTimeoutError extends Error {
  override readonly name = 'ClusterTimeoutError'
}
