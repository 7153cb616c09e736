import { resolve } from 'node:path'
import { WrongField } from '../api/document-reader.ts'
import type { Node } from '../api/objects/node.ts'
import { readAutoscaling } from '../whatif/scenario/autoscaling-reader.ts'
import type { FoundCluster } from '../whatif/scenario/forecast-plan.ts'
import { type FoundAutoscalers, withFoundAutoscalers } from '../whatif/scenario/found-autoscalers.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { parseDocuments } from './yaml.ts'

/** The parsed file of --autoscaler. Validation needs the cluster and comes later. */
export interface AutoscalerFile {
  readonly name: string
  readonly document: unknown
}

/** Reads the file of --autoscaler, and finds the autoscalers of the cluster. */
export async function readAutoscaler(
  file: string | undefined,
  { cluster }: { readonly cluster: FoundCluster },
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<FoundAutoscalers> {
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

/** The autoscalers of a file and of a cluster. A group without a template gets its template from the nodes with its label. */
export function autoscalersOf(file: AutoscalerFile | undefined, cluster: FoundCluster): FoundAutoscalers {
  if (file === undefined) return withFoundAutoscalers({}, cluster)
  try {
    return withFoundAutoscalers(
      readAutoscaling(file.document, '', cluster.store.list('nodes') as readonly Node[]),
      cluster,
    )
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file.name}: ${error.message}`)
    throw error
  }
}
