import { dirname, resolve } from 'node:path'
import { WrongField } from '../api/document-reader.ts'
import type { Load } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import { readLoads } from '../whatif/scenario/load-reader.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { parseDocuments } from './yaml.ts'

/** Reads the file of --load: the load of one workload, or of several in a list, as in a scenario. */
export async function readLoadFile(
  file: string | undefined,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<readonly Load[]> {
  if (file === undefined) return []
  const path = resolve(cwd, file)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
  const [document, ...more] = parseDocuments(await files.readText(path), file)
  if (document === undefined || more.length > 0) throw wrongQuestion(`${file}: must be a single YAML document`)
  try {
    return await readLoads(document.value, '', async (name) => [await files.readText(resolve(dirname(path), name))])
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file}: ${error.message}`)
    throw error
  }
}
