import type { KubeObject } from '../../api/objects/meta.ts'
import { effectiveGates, parseFeatureGates } from '../../api/releases/feature-gates.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { horizontalFlags } from '../../autoscalers/horizontal-pod-autoscaler/options.ts'
import { nodeLifecycleFlags } from '../../controllers/node-lifecycle/options.ts'
import type { ForecastNote } from '../report/forecast.ts'

export const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
export type ComponentName = (typeof components)[number]

/** A component of the control plane that runs in a pod, as kubeadm and others run it, or the manifest of that pod. */
export interface FoundComponent {
  readonly component: ComponentName
  /** `namespace/name` */
  readonly pod: string
  /** The version of the image, for example 1.36.2. */
  readonly version?: string
  readonly flags: Readonly<Record<string, string>>
}

interface ComponentContainer {
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
}

/**
 * The flags that a forecast uses. Flags of node IPAM are omitted, because addresses do not affect the placement of
 * pods.
 */
const taken: Readonly<Record<ComponentName, ReadonlySet<string>>> = {
  'kube-apiserver': new Set(['feature-gates']),
  'kube-controller-manager': new Set([
    'feature-gates',
    'kube-api-qps',
    'kube-api-burst',
    ...Object.keys(nodeLifecycleFlags),
    ...Object.keys(horizontalFlags),
  ]),
  'kube-scheduler': new Set(['feature-gates', 'pod-max-in-unschedulable-pods-duration', 'config']),
}

/** The component that a container runs, by the name of its program. */
export function componentIn(container: ComponentContainer): ComponentName | undefined {
  const programs = wordsOf(container).map((word) => word.split('/').at(-1))
  return components.find((name) => programs.includes(name))
}

/** The component that the pod runs; undefined for other pods. */
export function componentOf(object: KubeObject): FoundComponent | undefined {
  const { namespace = '', name } = object.metadata
  if (object.kind !== 'Pod' || !(namespace === 'kube-system' || namespace.startsWith('openshift-kube-'))) return
  const { containers = [] } =
    (object as { readonly spec?: { readonly containers?: readonly ComponentContainer[] } }).spec ?? {}
  for (const container of containers) {
    const component = componentIn(container)
    if (component === undefined) continue
    const version = versionIn(container.image)
    const flags = flagsIn(wordsOf(container)).filter(([flag]) => taken[component].has(flag))
    return {
      component,
      pod: `${namespace}/${name}`,
      ...(version === undefined ? {} : { version }),
      flags: Object.fromEntries(flags),
    }
  }
  return undefined
}

/** The arguments of a container that a snapshot keeps: the program and the flags that a forecast uses. */
export function keptWords(container: ComponentContainer): readonly string[] | undefined {
  const component = componentIn(container)
  if (component === undefined) return undefined
  const flags = flagsIn(wordsOf(container)).filter(([flag]) => taken[component].has(flag))
  return [component, ...flags.map(([flag, value]) => `--${flag}=${value}`)]
}

export function wordsOf({ command = [], args = [] }: ComponentContainer): readonly string[] {
  return [...command, ...args].map(String)
}

/** `--name=value`, `--name value`, and `--name` for a switch. */
export function flagsIn(words: readonly string[]): readonly (readonly [string, string])[] {
  const flags: (readonly [string, string])[] = []
  words.forEach((word, at) => {
    if (!word.startsWith('--')) return
    const equals = word.indexOf('=')
    if (equals > 0) {
      flags.push([word.slice(2, equals), word.slice(equals + 1)])
      return
    }
    const next = words[at + 1]
    flags.push([word.slice(2), next === undefined || next.startsWith('-') ? 'true' : next])
  })
  return flags
}

/** `1.34.3` of `registry.k8s.io/kube-scheduler:v1.34.3`. */
export function versionIn(image = ''): string | undefined {
  const [name = ''] = image.split('@')
  return /:v(\d{1,3}\.\d{1,3}\.\d{1,3})(?:[-+_]|$)/.exec(name)?.[1]
}

/** A feature gate of a component that its release refuses. */
export interface RefusedGate {
  readonly component: ComponentName
  readonly pod: string
  readonly gate: string
  /** The message of upstream. */
  readonly why: string
}

/** The gates with which a component of this release does not start. */
export function refusedGates(found: readonly FoundComponent[], release: KubernetesRelease): readonly RefusedGate[] {
  return found.flatMap(({ component, pod, flags }) =>
    [...acceptGates(gatesIn(flags), release).refused].map(([gate, why]) => ({ component, pod, gate, why })),
  )
}

function gatesIn(flags: Readonly<Record<string, string>>): ReadonlyMap<string, boolean> {
  const parsed = parseFeatureGates(flags['feature-gates'] ?? '')
  return parsed.ok ? parsed.value : new Map()
}

/**
 * The gates that the release accepts together, and the reasons why it refuses the others. A gate may depend on a later
 * one.
 */
function acceptGates(
  gates: ReadonlyMap<string, boolean>,
  { featureGates }: KubernetesRelease,
): { readonly accepted: ReadonlyMap<string, boolean>; readonly refused: ReadonlyMap<string, string> } {
  const accepted = new Map<string, boolean>()
  const refused = new Map<string, string>()
  let before = -1
  while (accepted.size > before) {
    before = accepted.size
    for (const [gate, on] of gates) {
      if (accepted.has(gate)) continue
      const result = effectiveGates(featureGates, new Map([...accepted, [gate, on]]))
      if (result.ok) accepted.set(gate, on)
      if (result.ok) refused.delete(gate)
      else refused.set(gate, result.message)
    }
  }
  return { accepted, refused }
}

/** The flags of a forecast under a release: those of the components, without gates that the release refuses. */
export function controlPlaneFlags(
  found: readonly FoundComponent[],
  release: KubernetesRelease,
): Readonly<Record<string, string>> {
  const gates = new Map<string, boolean>()
  const flags: Record<string, string> = {}
  for (const component of firstOfEach(found)) {
    for (const [gate, on] of gatesIn(component.flags)) gates.set(gate, on)
    for (const [name, value] of Object.entries(component.flags))
      if (name !== 'feature-gates' && name !== 'config') flags[name] = value
  }
  const { accepted } = acceptGates(gates, release)
  if (accepted.size > 0) flags['feature-gates'] = [...accepted].map(([gate, on]) => `${gate}=${on}`).join(',')
  return flags
}

/** The text of a flag with feature gates, without those that the release refuses. */
export function acceptedGates(
  text: string,
  release: KubernetesRelease,
): { readonly text: string; readonly refused: readonly string[] } {
  const { accepted, refused } = acceptGates(gatesIn({ 'feature-gates': text }), release)
  return { text: [...accepted].map(([gate, on]) => `${gate}=${on}`).join(','), refused: [...refused.values()] }
}

/** The assumptions of a forecast about the control plane. */
export function controlPlaneNotes(
  found: readonly FoundComponent[],
  release: KubernetesRelease,
): readonly ForecastNote[] {
  const flags = Object.entries(controlPlaneFlags(found, release)).map(([name, value]) => `--${name}=${value}`)
  const notes: string[] = []
  if (flags.length > 0) notes.push(`flags of the control plane are those of its pods: ${flags.join(' ')}`)
  for (const { component, pod, why } of refusedGates(found, release))
    notes.push(`${component} (pod ${pod}): ${why} in v${release.version}: the gate is ignored`)
  for (const { component, pod, flags: own } of firstOfEach(found)) {
    const differs = found.some((other) => other.component === component && !sameFlags(other.flags, own))
    if (differs) notes.push(`the pods of ${component} have different flags: those of ${pod} are used`)
  }
  return notes.map((text) => ({ kind: 'assumed', text }))
}

/** The configuration file of kube-scheduler. It is not part of the objects of a cluster. */
export function schedulerFile(found: readonly FoundComponent[]): string | undefined {
  return found.find(({ component, flags }) => component === 'kube-scheduler' && flags['config'] !== undefined)?.flags[
    'config'
  ]
}

/** One pod of each component, the first by name, in the order of `components`: later ones take precedence. */
function firstOfEach(found: readonly FoundComponent[]): readonly FoundComponent[] {
  return components.flatMap((name) => {
    const own = found.filter(({ component }) => component === name).sort((a, b) => (a.pod < b.pod ? -1 : 1))
    return own.slice(0, 1)
  })
}

function sameFlags(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const texts = (flags: Readonly<Record<string, string>>) => JSON.stringify(Object.entries(flags).sort())
  return texts(a) === texts(b)
}
