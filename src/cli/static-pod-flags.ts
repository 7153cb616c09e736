import { knownFlags } from '../controlplane/settings.ts'
import { wrongQuestion } from './command.ts'

const components: readonly string[] = ['kube-controller-manager', 'kube-scheduler', 'kube-apiserver']

/** Components whose flags have no effect here other than their feature gates and version. */
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
    const component = components.find((name) => wordsOf(container).some((word) => word.split('/').at(-1) === name))
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

interface ManifestContainer {
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
}

function wordsOf({ command = [], args = [] }: ManifestContainer): readonly string[] {
  return [...command, ...args].map(String)
}

/** `--name=value`, `--name value`, and `--name` for a switch. */
function flagsIn(words: readonly string[]): readonly (readonly [string, string])[] {
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
function versionIn(image = ''): string | undefined {
  const [name = ''] = image.split('@')
  return /:v(\d{1,3}\.\d{1,3}\.\d{1,3})(?:[-+_]|$)/.exec(name)?.[1]
}
