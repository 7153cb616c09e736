// A thread that runs cases of a search. The build makes this file a separate program.
import { isMainThread, parentPort } from 'node:worker_threads'
import type { JsonObject } from '../api/objects/meta.ts'
import { runCase } from '../search/run-case.ts'
import { createSearchBase, type SearchBase, type SearchInput } from '../search/search-base.ts'

/** `input` comes first; then one message per case. */
export type SearchMessage =
  | { readonly kind: 'input'; readonly input: SearchInput }
  | { readonly kind: 'case'; readonly id: number; readonly steps: readonly JsonObject[] }

if (!isMainThread) {
  let base: Promise<SearchBase> | undefined
  parentPort?.on('message', async (message: SearchMessage) => {
    if (message.kind === 'input') {
      base = createSearchBase(message.input)
      return
    }
    if (base === undefined) throw new Error('a case arrived before the cluster')
    const result = await runCase(await base, message.steps)
    parentPort?.postMessage({ id: message.id, result })
  })
}
