import { knownFlags } from '../controlplane/settings.ts'
import { componentIn, components, flagsIn, versionIn, wordsOf } from '../whatif/snapshot/found-control-plane.ts'
import { wrongQuestion } from './command.ts'

/** Components of which only the feature gates and the version have an effect. */
const onlyGates: ReadonlySet<string> = new Set(['kube-apiserver'])

/**
 * The flags of a component in the manifest of its static pod, as in /etc/kubernetes/manifests or a must-gather: those
 * that berth knows, and the version of the image. Undefined when the document is not a pod.
 */
export function flagsOfManifest(document: unknown): Readonly<Record<string, unknown>> | undefined {
  const { kind, spec } = document as { readonly kind?: unknown; readonly spec?: { readonly containers?: unknown } }
  if (kind !== 'Pod') return undefined
  const containers = Array.isArray(spec?.containers) ? (spec.containers as readonly ManifestContainer[]) : []
  const found = containers.flatMap((container) => {
    const component = componentIn(container)
    return component === undefined ? [] : [{ component, container }]
  })
  const [first] = found
  if (first === undefined) throw wrongQuestion(`the pod runs none of ${components.join(', ')}`)
  const flags: Record<string, unknown> = {}
  const version = versionIn(first.container.image)
  if (version !== undefined) flags['kubernetes-version'] = version
  for (const [name, value] of flagsIn(wordsOf(first.container))) {
    if (name === 'feature-gates' || (Object.hasOwn(knownFlags, name) && !onlyGates.has(first.component))) {
      flags[name] = value
    }
  }
  return flags
}

/** The configuration file that the manifest of kube-scheduler refers to. */
export function schedulerFileOf(document: unknown): string | undefined {
  const { kind, spec } = document as { readonly kind?: unknown; readonly spec?: { readonly containers?: unknown } }
  if (kind !== 'Pod' || !Array.isArray(spec?.containers)) return undefined
  const container = (spec.containers as readonly ManifestContainer[]).find(
    (one) => componentIn(one) === 'kube-scheduler',
  )
  return container === undefined ? undefined : new Map(flagsIn(wordsOf(container))).get('config')
}

interface ManifestContainer {
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
}
