import type { Pod } from '../../api/objects/pod.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { ExtenderConfiguration } from '../config/scheduler-configuration.ts'

/** A request to an HTTP extender. */
export interface ExtenderRequest {
  readonly extender: Extender
  readonly url: string
  readonly body: string
}

/** The body of a successful answer, or the error. */
export type ExtenderAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly message: string }

/** The default timeout of upstream (v1.36, DefaultExtenderTimeout). */
const defaultTimeoutMs = 5_000

/** An HTTP extender (v1.36, pkg/scheduler/extender.go). */
export class Extender {
  readonly name: string
  readonly timeoutMs: number
  readonly ignorable: boolean
  readonly nodeCacheCapable: boolean
  readonly weight: number
  readonly filters: boolean
  readonly prioritizes: boolean
  readonly preempts: boolean
  readonly binds: boolean
  readonly tls: Readonly<Record<string, unknown>> | undefined
  private readonly config: ExtenderConfiguration
  private readonly managed: ReadonlySet<string>

  constructor(config: ExtenderConfiguration) {
    this.config = config
    this.name = config.urlPrefix
    this.timeoutMs = config.httpTimeoutMs || defaultTimeoutMs
    this.ignorable = config.ignorable
    this.nodeCacheCapable = config.nodeCacheCapable
    this.weight = config.weight
    this.filters = config.filterVerb !== ''
    this.prioritizes = config.prioritizeVerb !== ''
    this.preempts = config.preemptVerb !== ''
    this.binds = config.bindVerb !== ''
    this.managed = new Set(config.managedResources.map(({ name }) => name))
    const { tlsConfig, enableHTTPS } = config
    const knowsCa = tlsConfig?.['caFile'] !== undefined || tlsConfig?.['caData'] !== undefined
    const trusting = enableHTTPS && !knowsCa ? { insecure: true } : {}
    this.tls = tlsConfig === undefined && !enableHTTPS ? undefined : { ...tlsConfig, ...trusting }
  }

  /**
   * Reports whether the pod requests a resource that this extender manages. Without managed resources, it handles all
   * pods.
   */
  isInterestedIn(pod: Pod): boolean {
    if (this.managed.size === 0) return true
    const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
    return containers.some(({ resources }) =>
      [resources?.requests, resources?.limits].some((list) =>
        Object.keys(list ?? {}).some((name) => this.managed.has(name)),
      ),
    )
  }

  request(verb: 'filter' | 'prioritize' | 'preempt' | 'bind', args: object): ExtenderRequest {
    const path = this.config[`${verb}Verb`]
    return { extender: this, url: `${this.name.replace(/\/+$/, '')}/${path}`, body: encodeJson(args) }
  }
}

/**
 * Ignorable extenders come last, so that they are not called when another extender rejects all nodes (v1.36,
 * buildExtenders).
 */
export function createExtenders(configs: readonly ExtenderConfiguration[]): readonly Extender[] {
  const all = configs.map((config) => new Extender(config))
  return [...all.filter(({ ignorable }) => !ignorable), ...all.filter(({ ignorable }) => ignorable)]
}

/** Reads a field of an answer. Go matches field names case-insensitively. */
export function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  const wanted = name.toLowerCase()
  for (const [key, value] of Object.entries(body)) if (key.toLowerCase() === wanted) return value ?? undefined
  return undefined
}
