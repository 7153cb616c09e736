import { writePrivately } from '../controlplane/ports-data-dir.ts'
import { type Files, wrongQuestion } from './command.ts'
import { toYaml } from './output.ts'
import { parseDocuments } from './yaml.ts'

interface NamedEntry {
  readonly name: string
}

interface Kubeconfig {
  readonly apiVersion?: string
  readonly kind?: string
  readonly 'current-context'?: string
  readonly clusters?: readonly NamedEntry[] | null
  readonly users?: readonly NamedEntry[] | null
  readonly contexts?: readonly NamedEntry[] | null
}

/** Adds one cluster to a kubeconfig and makes it the current context; the rest of the file is unchanged. */
export async function mergeKubeconfig(files: Files, file: string, added: string): Promise<void> {
  const existing =
    (await files.kindOf(file)) === 'file' ? parseDocuments(await files.readText(file), file)[0]?.value : {}
  if (typeof existing !== 'object' || existing === null || Array.isArray(existing))
    throw wrongQuestion(`${file}: not a kubeconfig`)
  await writePrivately(file, toYaml(merged(existing as Kubeconfig, JSON.parse(added) as Kubeconfig)))
}

export function merged(existing: Kubeconfig, added: Kubeconfig): Kubeconfig {
  const together = (key: 'clusters' | 'users' | 'contexts') => {
    const names = new Set((added[key] ?? []).map(({ name }) => name))
    return [...(existing[key] ?? []).filter(({ name }) => !names.has(name)), ...(added[key] ?? [])]
  }
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...existing,
    clusters: together('clusters'),
    users: together('users'),
    contexts: together('contexts'),
    'current-context': added['current-context'] ?? '',
  }
}
