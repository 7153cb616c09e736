import { resolve } from 'node:path'
import type { KubeObject } from '../api/objects/meta.ts'
import { createKindTable } from '../registry/kinds/kinds.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { listed } from '../whatif/report/phrases.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { knownKinds } from '../whatif/snapshot/sorted-objects.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { describeSource, readObjects } from './yaml.ts'

/** The objects of `-f`. Each has a name, or a prefix for one. */
export async function manifestsOf(
  files: readonly string[],
  ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>,
): Promise<readonly KubeObject[]> {
  if (files.length === 0) throw wrongQuestion('-f is required')
  const sourced = await readObjects(
    files.map((file) => (file === '-' ? file : resolve(ports.cwd, file))),
    ports,
  )
  return sourced.map(({ object, source }) => {
    if (typeof object['metadata'] === 'object' && object['metadata'] !== null) return object as unknown as KubeObject
    const hint = object.kind === 'Kustomization' ? '; build it: kubectl kustomize DIR | berth whatif apply -f -' : ''
    throw wrongQuestion(`${describeSource(source)}: ${object.kind} has no metadata${hint}`)
  })
}

/**
 * Separates custom resources that the cluster does not define: snapshots and dumps have no definitions. The forecast skips them,
 * because a forecast of the other objects is more useful than none.
 */
export function withoutUndefined(
  objects: readonly KubeObject[],
  { cluster }: ClusterInput,
): { readonly objects: readonly KubeObject[]; readonly notes: readonly ForecastNote[] } {
  const known = knownKinds()
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
  const defined = createKindTable({ list: () => definitions, count: () => definitions.length })
  const existing = createKindTable(cluster.store)
  const groups = new Set(
    createKindTable()
      .all()
      .map(({ group }) => group),
  )
  const isUndefined = ({ apiVersion = '', kind = '' }: KubeObject): boolean => {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
    // An unknown kind of a group of Kubernetes is a mistake.
    if (groups.has(group) || !group.includes('.')) return false
    return [known, defined, existing].every((kinds) => kinds.findKind(group, kind) === undefined)
  }
  const left = objects.filter(isUndefined)
  if (left.length === 0) return { objects, notes: [] }
  const names = left.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  const text = `custom resources without a definition in the cluster are ignored, and their operators do not act: ${listed(names, 5)}`
  return { objects: objects.filter((object) => !isUndefined(object)), notes: [{ kind: 'uncertain', text }] }
}
