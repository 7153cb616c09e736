import type { Pod } from '../../api/objects/pod.ts'
import type { ExtenderConfiguration } from '../config/scheduler-configuration.ts'

/** A question for an HTTP extender. */
export interface ExtenderRequest {
  readonly extender: Extender
  readonly url: string
  readonly body: string
}

/** What came back: the body of a good answer, or what went wrong. */
export type ExtenderAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly message: string }

/** What upstream allows an extender that names no time (v1.36, DefaultExtenderTimeout). */
const defaultTimeoutMs = 5_000

/** An HTTP service that takes part in scheduling (v1.36, pkg/scheduler/extender.go). */
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

  /** Whether the pod asks for something this extender looks after; without such a list all pods are its business. */
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
    return { extender: this, url: `${this.name.replace(/\/+$/, '')}/${path}`, body: JSON.stringify(args) }
  }
}

/** Those that may fail come last, so that they are not asked in vain (v1.36, buildExtenders). */
export function createExtenders(configs: readonly ExtenderConfiguration[]): readonly Extender[] {
  const all = configs.map((config) => new Extender(config))
  return [...all.filter(({ ignorable }) => !ignorable), ...all.filter(({ ignorable }) => ignorable)]
}

/** A field of an answer. Go reads names in any case, and so do extenders expect. */
export function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  const wanted = name.toLowerCase()
  for (const [key, value] of Object.entries(body)) if (key.toLowerCase() === wanted) return value ?? undefined
  return undefined
}
