import { resolve } from 'node:path'
import { WrongField } from '../api/document-reader.ts'
import type { Node } from '../api/objects/node.ts'
import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { readAutoscaling } from '../whatif/scenario/autoscaling-reader.ts'
import type { ForecastPlan, FoundCluster } from '../whatif/scenario/forecast-plan.ts'
import { findClusterAutoscaler } from '../whatif/scenario/found-cluster-autoscaler.ts'
import { findKarpenter } from '../whatif/scenario/found-karpenter.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { parseDocuments } from './yaml.ts'

/** The file of --autoscaler as it was read. Its fields are checked together with a cluster. */
export interface AutoscalerFile {
  readonly name: string
  readonly document: unknown
}

type ReadAutoscaler = Pick<ForecastPlan, 'autoscaling'> & { readonly notes: readonly ForecastNote[] }

/** Reads the file of --autoscaler, and finds the autoscalers of the cluster. */
export async function readAutoscaler(
  file: string | undefined,
  { cluster }: { readonly cluster: FoundCluster },
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<ReadAutoscaler> {
  return autoscalersOf(await readAutoscalerFile(file, ports), cluster)
}

export async function readAutoscalerFile(
  file: string | undefined,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<AutoscalerFile | undefined> {
  if (file === undefined) return undefined
  const path = resolve(cwd, file)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
  const [document, ...more] = parseDocuments(await files.readText(path), file)
  if (document === undefined || more.length > 0) throw wrongQuestion(`${file}: must be a single YAML document`)
  return { name: file, document: document.value }
}

/** The autoscalers of a file and of a cluster. Groups without a template are like the nodes that have their label. */
export function autoscalersOf(file: AutoscalerFile | undefined, cluster: FoundCluster): ReadAutoscaler {
  if (file === undefined) return withFound({}, cluster)
  try {
    return withFound(readAutoscaling(file.document, '', cluster.store.list('nodes') as readonly Node[]), cluster)
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file.name}: ${error.message}`)
    throw error
  }
}

/**
 * A cluster with NodePools has Karpenter, and one with a status of Cluster Autoscaler has that, also if no file describes
 * them. Node groups of the file come first; its flags, if it has some, replace those of the Deployment.
 */
function withFound(given: Autoscaling, cluster: FoundCluster) {
  const karpenter = findKarpenter(cluster, given.karpenter)
  const found = findClusterAutoscaler(cluster)
  const all: Autoscaling = {
    ...given,
    ...(karpenter === undefined ? {} : { karpenter: karpenter.karpenter }),
    ...(found === undefined
      ? {}
      : { clusterAutoscaler: mergedAutoscaler(given.clusterAutoscaler, found.clusterAutoscaler) }),
  }
  const notes = [...(karpenter?.notes ?? []), ...(found?.notes ?? [])]
  return { ...(Object.keys(all).length === 0 ? {} : { autoscaling: all }), notes }
}

type FoundAutoscaler = NonNullable<Autoscaling['clusterAutoscaler']>

function mergedAutoscaler(given: FoundAutoscaler | undefined, found: FoundAutoscaler): FoundAutoscaler {
  if (given === undefined) return found
  const named = new Set(given.groups.map(({ name }) => name))
  return {
    groups: [...given.groups, ...found.groups.filter(({ name }) => !named.has(name))],
    options: given.hasFlags === true ? given.options : found.options,
  }
}
