import { resolve } from 'node:path'
import { readStage } from '../controllers/hollow-kubelet/read-stages.ts'
import type { Stage } from '../controllers/hollow-kubelet/stage.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { describeSource, parseDocuments } from './yaml.ts'

/** Reads the Stage documents of files, in order. */
export async function readStages(
  paths: readonly string[],
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<readonly Stage[]> {
  const stages: Stage[] = []
  for (const path of paths) {
    const documents = parseDocuments(await files.readText(resolve(cwd, path)), path)
    if (documents.length === 0) throw wrongQuestion(`${path}: file is empty; expected documents of kind Stage`)
    for (const { value, source } of documents) {
      const stage = readStage(value)
      if (!stage.ok) throw wrongQuestion(`${describeSource(source)}: ${stage.message}`)
      stages.push(stage.value)
    }
  }
  return stages
}
